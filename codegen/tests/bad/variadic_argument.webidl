/// Library.
namespace tenspan {
  /// Sum.
  /// @param xs  Numbers.
  long sum(long... xs);
};
