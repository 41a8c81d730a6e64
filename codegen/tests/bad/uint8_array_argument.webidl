/// Library.
namespace tenspan {
  /// One.
  /// @param a  Bytes.
  long one(Uint8Array a);
};
