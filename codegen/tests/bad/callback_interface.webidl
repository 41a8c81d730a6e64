/// A thing.
callback interface Thing {
};
