ulpgate run --suite ./mistyped.cases
