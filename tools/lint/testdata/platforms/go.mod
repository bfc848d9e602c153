module example.com/platforms

go 1.26.0
