/// Library.
namespace tenspan {
  /// One.
  (long or DOMString) one();
};
