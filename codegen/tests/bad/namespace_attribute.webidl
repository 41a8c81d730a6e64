/// Library.
namespace tenspan {
  /// Count.
  readonly attribute long count;
};
