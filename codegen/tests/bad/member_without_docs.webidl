/// Options.
dictionary Options {
  long loud = 1;
};
