/// A thing, or its name.
typedef (Thing or DOMString) ThingLike;
/// A thing.
interface Thing {
  /// One.
  long one();
};
/// Options.
dictionary Options {
  /// Thing.
  ThingLike thing = "x";
};
