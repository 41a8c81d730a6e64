/// A thing.
interface Thing {
  /// Items.
  setlike<DOMString>;
};
