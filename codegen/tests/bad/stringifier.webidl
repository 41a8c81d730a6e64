/// A thing.
interface Thing {
  /// Text.
  stringifier;
};
