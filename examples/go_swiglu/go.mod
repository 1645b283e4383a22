module go_swiglu

go 1.22

require frit v0.0.0

replace frit => ../../frontend/go
