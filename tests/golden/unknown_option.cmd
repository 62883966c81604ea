ulpgate run --kernal 'host:*'
