/// A thing.
interface Thing {
  /// Item.
  /// @param i  Position.
  getter long item(unsigned long i);
};
