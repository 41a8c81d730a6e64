// Classes whose objects every language makes and reads.
#include <tenspan/kernel.hpp>

namespace kernel = tenspan::kernel;
using kernel::Ref;

namespace {

struct Pair : kernel::Object {
  std::int64_t a;
  std::int64_t b;

  Pair(std::int64_t first, std::int64_t second) : a(first), b(second) {}
  std::int64_t sum() const { return a + b; }
  void add(std::int64_t n) { a += n; }
};

struct Named : Pair {
  std::string name;

  Named(std::int64_t first, std::int64_t second, std::string text) : Pair(first, second), name(std::move(text)) {}
};

struct Options : kernel::Object {
  std::int64_t steps = 1;
  double rate = 0.5;
  kernel::List<std::int64_t> seen;
};

// Read-only, made of parts or of text, shown and compared in its own way.
struct Version : kernel::Object {
  std::int64_t major;
  std::int64_t minor;
  std::string label;

  Version(std::int64_t first, std::int64_t second, std::string text) : major(first), minor(second), label(std::move(text)) {}
  bool equals(const Ref<Version>& other) const { return major == other->major && minor == other->minor; }
  std::int64_t hash() const { return major * 1000 + minor; }
};

Ref<Version> make_version(const std::variant<std::int64_t, std::string>& from, std::optional<std::int64_t> minor, std::optional<std::string> label) {
  if (const auto* const text = std::get_if<std::string>(&from)) {
    const std::size_t point = text->find('.');
    TENSPAN_CHECK_KIND(ValueError, point != std::string::npos && !minor) << "a version is two numbers, or text with a point";
    return kernel::make<Version>(std::stoll(*text), std::stoll(text->substr(point + 1)), label.value_or(""));
  }
  return kernel::make<Version>(std::get<std::int64_t>(from), minor.value_or(0), label.value_or(""));
}

// Shows what it holds by asking for it.
struct Box : kernel::Object {
  kernel::Any held;
};

}  // namespace

TENSPAN_OBJECT(Version, "kernels.Version")
    .doc("A version.")
    .init(make_version, "Two numbers, or text with a point.")
    .readonly("major", &Version::major, "Breaks things.")
    .readonly("minor", &Version::minor)
    .readonly("label", &Version::label)
    .repr([](const Ref<Version>& self) { return "v" + std::to_string(self->major) + "." + std::to_string(self->minor); })
    .equal(&Version::equals)
    .hash(&Version::hash)
    .attribute("kernels.stable", true);
TENSPAN_OBJECT(Box, "kernels.Box")
    .field("held", &Box::held)
    .defaults(nullptr)
    .repr([](const Ref<Box>& self, const kernel::Function& show) { return "<" + show.call<std::string>(self->held) + ">"; });

// Registered before the class that it inherits from: the order does not matter.
TENSPAN_OBJECT(Named, "kernels.Named")
    .inherits<Pair>()
    .init<std::int64_t, std::int64_t, std::string>("A pair with a name.")
    .field("name", &Named::name, "What it is called.");
TENSPAN_OBJECT(Pair, "kernels.Pair")
    .doc("Two numbers.")
    .init<std::int64_t, std::int64_t>("A pair of two numbers.")
    .field("a", &Pair::a, "The first.")
    .readonly("b", &Pair::b, "The second.")
    .method("sum", &Pair::sum, "Both together.")
    .method("add", &Pair::add, "Adds to the first.")
    .method("scaled", [](const Ref<Pair>& self, std::int64_t by) { return kernel::make<Pair>(self->a * by, self->b * by); })
    .static_method("zero", [] { return kernel::make<Pair>(0, 0); });
// Made of its fields.
TENSPAN_OBJECT(Options, "kernels.Options")
    .field("steps", &Options::steps)
    .defaults(std::int64_t{1})
    .field("rate", &Options::rate)
    .defaults(0.5)
    .keyword_only()
    .field("seen", &Options::seen)
    .factory([] { return kernel::List<std::int64_t>(); });

TENSPAN_EXPORT(pair, [](std::int64_t a, std::int64_t b) { return kernel::make<Pair>(a, b); });
TENSPAN_EXPORT(triple, [](std::int64_t a, std::int64_t b, const std::string& name) { return kernel::make<Named>(a, b, name); });
TENSPAN_EXPORT(sum, [](const Ref<Pair>& pair) { return pair->sum(); });
TENSPAN_EXPORT(name, [](const Ref<Named>& named) { return named->name; });
TENSPAN_EXPORT(pairs, [](std::int64_t n) {
  std::vector<Ref<Pair>> all;
  for (std::int64_t i = 0; i < n; ++i) all.push_back(kernel::make<Pair>(i, 2 * i));
  return all;
});
TENSPAN_EXPORT(sums, [](const kernel::Array<Ref<Pair>>& pairs) {
  std::int64_t total = 0;
  for (const Ref<Pair>& pair : pairs) total += pair->sum();
  return total;
});
TENSPAN_EXPORT(swap, [](const Ref<Pair>& pair) { return kernel::make<Pair>(pair->b, pair->a); });
TENSPAN_EXPORT(make_named, [](const std::string& name) { return kernel::make<Named>(1, 2, name); });
TENSPAN_EXPORT(rate, [](const Ref<Options>& options) { return options->rate * static_cast<double>(options->steps); });
TENSPAN_EXPORT(maybe, [](const std::optional<Ref<Pair>>& pair) { return pair ? (*pair)->sum() : -1; });
