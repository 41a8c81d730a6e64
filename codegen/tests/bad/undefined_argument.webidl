/// Library.
namespace tenspan {
  /// One.
  /// @param a  Nothing.
  long one(undefined a);
};
