/// Perhaps.
typedef long? Maybe;
/// Library.
namespace tenspan {
  /// One.
  Maybe? one();
};
