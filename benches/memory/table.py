"""The figures as tables for a terminal: a row per call, and at its end whether its bar is met."""

import sys

COLOUR = sys.stdout.isatty()


def show_all(result):
    """Prints everything that a person at the terminal wants to know."""
    print("\n" + ", ".join(f"{name} {version}" for name, version in result["packages"].items()))
    print("\nINTEROP: " + "; ".join(f"{name}: {said}" for name, said in result["interop"].items()))
    show("CALLS with four numbers, ns", result["calls"])
    show("PRODUCTS, ns", result["products"])
    rows = [*result["calls"].values(), *result["products"].values()]
    sum_up(rows + [row["fast"] for row in rows if "fast" in row])


def sum_up(rows):
    """Prints how many bars are met."""
    bars = [row for row in rows if row.get("bar") is not None]
    print(f"\n{sum(row['met'] for row in bars)} of {len(bars)} bars are met")


def show(title, rows):
    """Prints rows under a title."""
    if not rows:
        return
    print(f"\n{title}\n")
    width = max(map(len, rows))
    for name, row in rows.items():
        if "refused" in row:
            print(f"{name:{width}}  {row['refused']}")
            continue
        _line(name.ljust(width), row)
        if "fast" in row:
            _line("  fast beside numpy.dot".ljust(width), row["fast"])


def _line(name, row):
    bar = "" if row["bar"] is None else f"bar {row['bar']:.2f} {'met' if row['met'] else 'MISSED'}"
    text = f"{name}  {row['ours']:11.1f}  {row['peer']:>8} {row['theirs']:11.1f}  ratio {row['ratio']:.2f}  {bar}"
    print(text if row["met"] or not COLOUR else f"\033[31m{text}\033[0m")
