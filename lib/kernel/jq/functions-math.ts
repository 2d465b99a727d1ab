// Functions of jq over numbers. One a line, as in functions-values.ts.
export const MATH_FUNCTIONS = String.raw`
abs ¦ A number without its sign. ¦ map(abs) ¦ [-3,4] ¦ [3,4]
acos ¦ The angle, in radians, whose cosine it is. ¦ acos ¦ 1 ¦ 0
acosh ¦ The inverse of cosh. ¦ acosh ¦ 1 ¦ 0
asin ¦ The angle, in radians, whose sine it is. ¦ asin ¦ 0 ¦ 0
asinh ¦ The inverse of sinh. ¦ asinh ¦ 0 ¦ 0
atan ¦ The angle, in radians, whose tangent it is. ¦ atan ¦ 0 ¦ 0
atan2(y; x) ¦ The angle, in radians, to the point x, y. ¦ atan2(0; 1) ¦ null ¦ 0
atanh ¦ The inverse of tanh. ¦ atanh ¦ 0 ¦ 0
cbrt ¦ The cube root. ¦ cbrt ¦ 27 ¦ 3
ceil ¦ The next whole number above. ¦ ceil ¦ 2.1 ¦ 3
copysign(x; y) ¦ x with the sign of y. ¦ copysign(3; -1) ¦ null ¦ -3
cos ¦ The cosine of an angle in radians. ¦ cos ¦ 0 ¦ 1
cosh ¦ The hyperbolic cosine. ¦ cosh ¦ 0 ¦ 1
drem(x; y) ¦ What remains of x after the nearest multiple of y; it may be negative. ¦ drem(5; 3) ¦ null ¦ -1
erf ¦ The error function. ¦ erf ¦ 0 ¦ 0
erfc ¦ 1 minus the error function. ¦ erfc ¦ 0 ¦ 1
exp ¦ e to the power of it. ¦ exp ¦ 0 ¦ 1
exp10 ¦ 10 to the power of it. ¦ exp10 ¦ 2 ¦ 100
exp2 ¦ 2 to the power of it. ¦ exp2 ¦ 3 ¦ 8
expm1 ¦ e to the power of it, minus 1; exact near 0. ¦ expm1 ¦ 0 ¦ 0
fabs ¦ A number without its sign. ¦ fabs ¦ -2.5 ¦ 2.5
fdim(x; y) ¦ x minus y, or 0 where that is below 0. ¦ fdim(2; 5) ¦ null ¦ 0
floor ¦ The next whole number below. ¦ floor ¦ 2.9 ¦ 2
fma(x; y; z) ¦ x times y plus z, rounded once. ¦ fma(2; 3; 4) ¦ null ¦ 10
fmax(x; y) ¦ The greater of two. ¦ fmax(2; 3) ¦ null ¦ 3
fmin(x; y) ¦ The lesser of two. ¦ fmin(2; 3) ¦ null ¦ 2
fmod(x; y) ¦ What remains of x divided by y, with the sign of x. ¦ fmod(5.5; 2) ¦ null ¦ 1.5
frexp ¦ A number as a fraction and a power of 2. ¦ frexp ¦ 8 ¦ [0.5,4]
gamma ¦ The logarithm of the gamma function; this build has lgamma in its place. ¦ try gamma catch "use lgamma" ¦ 8 ¦ "use lgamma"
have_decnum ¦ True when numbers may keep more digits than a double holds. ¦ have_decnum ¦ null ¦ true
have_literal_numbers ¦ True when a number that nothing was done to keeps the digits it was written with. ¦ have_literal_numbers ¦ null ¦ true
hypot(x; y) ¦ How far the point x, y is from 0. ¦ hypot(3; 4) ¦ null ¦ 5
infinite ¦ A number without end; as JSON it is the greatest there is. ¦ infinite > 1e300 ¦ null ¦ true
isfinite ¦ True of numbers that end. ¦ isfinite ¦ 1 ¦ true
isinfinite ¦ True of a number without end. ¦ isinfinite ¦ 1 ¦ false
isnan ¦ True for NaN, which has the type number. ¦ nan | isnan ¦ null ¦ true
isnormal ¦ True of numbers that are neither 0 nor infinite nor too small to be exact. ¦ isnormal ¦ 0 ¦ false
j0 ¦ The Bessel function of the first kind, order 0. ¦ j0 ¦ 0 ¦ 1
j1 ¦ The Bessel function of the first kind, order 1. ¦ j1 ¦ 0 ¦ 0
jn(n; x) ¦ The Bessel function of the first kind, order n. ¦ jn(0; 0) ¦ null ¦ 1
ldexp(x; n) ¦ x times 2 to the power of n. ¦ ldexp(3; 2) ¦ null ¦ 12
lgamma ¦ The logarithm of the gamma function. ¦ lgamma ¦ 1 ¦ 0
lgamma_r ¦ The logarithm of the gamma function, and its sign. ¦ lgamma_r ¦ 1 ¦ [0,1]
log ¦ The natural logarithm. ¦ log ¦ 1 ¦ 0
log10 ¦ The logarithm to base 10. ¦ log10 ¦ 1000 ¦ 3
log1p ¦ The natural logarithm of 1 plus it; exact near 0. ¦ log1p ¦ 0 ¦ 0
log2 ¦ The logarithm to base 2. ¦ log2 ¦ 8 ¦ 3
logb ¦ The power of 2 in a number. ¦ logb ¦ 10 ¦ 3
modf ¦ The part behind the point, and the whole part. ¦ modf ¦ 8.5 ¦ [0.5,8]
nan ¦ NaN: not a number; null in JSON. ¦ nan ¦ null ¦ null
nearbyint ¦ The nearest whole number; halves go to the even one. ¦ nearbyint ¦ 2.5 ¦ 2
nextafter(x; y) ¦ The next number after x on the way to y. ¦ nextafter(1; 2) > 1 ¦ null ¦ true
nexttoward(x; y) ¦ The next number after x on the way to y. ¦ nexttoward(1; 0) < 1 ¦ null ¦ true
pow(x; y) ¦ x to the power of y. ¦ pow(2; 10) ¦ null ¦ 1024
remainder(x; y) ¦ What remains of x after the nearest multiple of y. ¦ remainder(5; 3) ¦ null ¦ -1
rint ¦ The nearest whole number; halves go to the even one. ¦ rint ¦ 3.5 ¦ 4
round ¦ The nearest whole number; halves go away from 0. ¦ round ¦ 2.5 ¦ 3
scalb(x; n) ¦ x times 2 to the power of n. ¦ scalb(1; 3) ¦ null ¦ 8
scalbln(x; n) ¦ x times 2 to the power of n, which is whole. ¦ scalbln(1; 3) ¦ null ¦ 8
significand ¦ A number scaled by powers of 2 to lie from 1 up to 2. ¦ significand ¦ 12 ¦ 1.5
sin ¦ The sine of an angle in radians. ¦ sin ¦ 0 ¦ 0
sinh ¦ The hyperbolic sine. ¦ sinh ¦ 0 ¦ 0
sqrt ¦ The square root. ¦ sqrt ¦ 9 ¦ 3
tan ¦ The tangent of an angle in radians. ¦ tan ¦ 0 ¦ 0
tanh ¦ The hyperbolic tangent. ¦ tanh ¦ 0 ¦ 0
tgamma ¦ The gamma function. ¦ tgamma ¦ 5 ¦ 24
trunc ¦ The number without its decimals. ¦ trunc ¦ -2.7 ¦ -2
y0 ¦ The Bessel function of the second kind, order 0. ¦ y0 < 0 ¦ 0.5 ¦ true
y1 ¦ The Bessel function of the second kind, order 1. ¦ y1 < 0 ¦ 0.5 ¦ true
yn(n; x) ¦ The Bessel function of the second kind, order n. ¦ yn(1; 2) < 0 ¦ null ¦ true
`;
