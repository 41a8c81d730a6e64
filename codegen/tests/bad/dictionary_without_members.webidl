/// Options.
dictionary Options {
};
