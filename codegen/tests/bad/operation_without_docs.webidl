/// Library.
namespace tenspan {
  long one();
};
