/// Library.
namespace tenspan {
  /// One.
  Thng one();
};
/// A thing.
interface Thing {
  /// One.
  long one();
};
