"""The figures as a picture: each format beside both packages and the limit of the memory, on a logarithmic scale."""

import matplotlib

matplotlib.use("svg")

from matplotlib import patheffects, pyplot  # noqa: E402
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter  # noqa: E402

# Colours that people who see fewer of them tell apart (Okabe and Ito).
OURS, LIBGGUF, GGUF, LIMIT = "#0072B2", "#E69F00", "#999999", "#D55E00"
# Figures stay readable where they cross a line.
HALO = [patheffects.withStroke(linewidth=2, foreground="white")]
STYLE = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "svg.fonttype": "none",
    "svg.hashsalt": "tenspan",
}


def draw(result, path):
    """Writes the picture, as SVG or PNG by the suffix of the path."""
    formats = result["formats"]
    names = list(formats)
    dots = [name for name in names if formats[name].get("matvec")]
    with pyplot.rc_context(STYLE):
        heights = [4, 4] + ([2.6] if dots else [])
        figure, axes = pyplot.subplots(
            len(heights), figsize=(15, sum(heights) + 1.2), height_ratios=heights, layout="constrained"
        )
        packages = " and ".join(f"{name} {version}" for name, version in result["packages"].items())
        title = f"tenspan ({result['instruction_set']}) beside {packages}, one thread, one run on {result['processor']}"
        figure.suptitle(title, fontsize=13, x=0.01, ha="left")
        decode(axes[0], names, [formats[name]["decode"]["ns"] for name in names])
        encode(axes[1], names, [(formats[name]["encode"] or {"ns": {}})["ns"] for name in names], result["limits"]["read_1"])
        if dots:
            matvec(axes[2], dots, [formats[name]["matvec"] for name in dots])
        # Without a date, two pictures of the same figures are the same file.
        figure.savefig(path, dpi=110, metadata={"Date": None} if path.suffix == ".svg" else None)
        pyplot.close(figure)


def decode(axis, names, ns):
    limit = sum(times["limit"] for times in ns) / len(ns)
    series = [
        ("tenspan", OURS, [times["aligned"] for times in ns]),
        ("libgguf", LIBGGUF, [times.get("libgguf") for times in ns]),
        ("gguf", GGUF, [times.get("gguf") for times in ns]),
    ]
    bars(axis, names, series, limit, "streaming stores")
    axis.set_title("Decode 16 M elements to float32: ns per element, less is better", loc="left")


def encode(axis, names, ns, limit):
    series = [
        ("tenspan", OURS, [times.get("mapped", times.get("importance")) for times in ns]),
        ("libgguf", LIBGGUF, [times.get("libgguf", times.get("libgguf_importance")) for times in ns]),
        ("gguf", GGUF, [times.get("gguf") for times in ns]),
    ]
    bars(axis, names, series, limit, "reading the floats")
    axis.set_title("Encode from float32: ns per element, less is better", loc="left")


def bars(axis, names, series, limit, limit_name):
    width = 0.8 / len(series)
    floor = limit / 2
    for number, (label, colour, values) in enumerate(series):
        there = [(index, value) for index, value in enumerate(values) if value is not None]
        places = [index + (number - (len(series) - 1) / 2) * width for index, _ in there]
        axis.bar(places, [value - floor for _, value in there], width * 0.92, floor, color=colour, label=label)
        if number == 0:
            for place, (_, value) in zip(places, there):
                axis.annotate(short(value), (place, value), (0, 2), textcoords="offset points", rotation=90,
                              ha="center", va="bottom", fontsize=7, color=colour, path_effects=HALO)
    axis.axhline(limit, color=LIMIT, linewidth=1.2, linestyle=(0, (5, 2)), label=f"limit: {limit_name}, {short(limit)} ns")
    axis.set_yscale("log")
    axis.set_ylim(floor)
    axis.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.yaxis.set_minor_formatter(NullFormatter())
    axis.grid(axis="y", color="#dddddd", linewidth=0.6)
    label_formats(axis, names)
    axis.legend(ncols=4, frameon=False, loc="lower right", bbox_to_anchor=(1, 1))


def matvec(axis, names, results):
    axis.bar(range(len(names)), [result["gflops"] for result in results], 0.6, color=OURS, label="one matrix, again and again")
    axis.plot(range(len(names)), [result["gflops_from_memory"] for result in results], "o", color=LIMIT, markersize=4,
              label="matrices from memory")
    axis.grid(axis="y", color="#dddddd", linewidth=0.6)
    label_formats(axis, names)
    axis.legend(ncols=2, frameon=False, loc="lower right", bbox_to_anchor=(1, 1))
    axis.set_title("Matrix times vector, 4096 × 4096: GFLOP/s, more is better", loc="left")


def label_formats(axis, names):
    axis.set_xticks(range(len(names)), names, rotation=40, ha="right", rotation_mode="anchor")
    axis.set_xlim(-0.6, len(names) - 0.4)
    axis.tick_params(axis="x", length=0)


def short(value):
    return f"{value:.2f}" if value < 10 else f"{value:.0f}"
