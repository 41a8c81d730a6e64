// One of two sources that include everything; a tensor goes from here to there.
#include <tenspan/tenspan.hpp>

double sum_elsewhere(const tenspan::Tensor& t);

int main() { return sum_elsewhere(tenspan::full({2, 3}, 2)) > 11.9 ? 0 : 1; }
