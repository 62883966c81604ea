ulpgate list gates --format json
