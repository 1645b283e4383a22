module frit

go 1.22
