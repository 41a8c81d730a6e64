/// A thing.
interface Thing {
  /// Items.
  async iterable<long>;
};
