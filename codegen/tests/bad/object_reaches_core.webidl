/// A picture.
typedef object Picture;
/// Library.
namespace tenspan {
  /// One.
  Picture one();
};
