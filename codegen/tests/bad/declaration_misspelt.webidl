/// A thing.
interfce Thing {
};
