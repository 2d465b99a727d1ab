// Functions of jq over values, arrays, objects and paths. One a line: signature ¦ what it does ¦ a program ¦ its input ¦
// what it gives. lib/jobs/jq-words.test.ts runs every example and compares the names with what this build of jq says it has.
export const VALUE_FUNCTIONS = String.raw`
IN(source) ¦ True when the input is among the values of source. ¦ IN("sand", "mud") ¦ "sand" ¦ true
IN(source; among) ¦ True when any value of source is among the values of the other. ¦ IN(.[]; 3) ¦ [1,3] ¦ true
INDEX(key) ¦ An object of the elements, each under what key makes of it. ¦ INDEX(.port) ¦ [{"port":"Rye"}] ¦ {"Rye":{"port":"Rye"}}
INDEX(source; key) ¦ An object of the values of source, each under what key makes of it. ¦ INDEX(.[]; .id) ¦ [{"id":7}] ¦ {"7":{"id":7}}
JOIN(index; key) ¦ Pairs each element with the entry of index that its key names, as an array of pairs. ¦ JOIN({"a":1}; .k) ¦ [{"k":"a"}] ¦ [[{"k":"a"},1]]
JOIN(index; source; key) ¦ Pairs each value of source with the entry of index that its key names. ¦ JOIN({"a":1}; .[]; .) ¦ ["a"] ¦ ["a",1]
JOIN(index; source; key; join) ¦ As with three arguments, and join makes something of each pair. ¦ JOIN({"a":1}; .[]; .; .[1]) ¦ ["a"] ¦ 1
add ¦ The sum of the elements: numbers are added, texts and arrays joined, objects merged; null for none. ¦ add ¦ [1,2,4] ¦ 7
add(source) ¦ The sum of all values of source. ¦ add(.[].depth) ¦ [{"depth":3},{"depth":4}] ¦ 7
all ¦ True when every element is true; of an empty array too. ¦ all ¦ [true,false] ¦ false
all(condition) ¦ True when the condition holds for every element. ¦ all(. > 2) ¦ [3,4] ¦ true
all(source; condition) ¦ True when the condition holds for every value of source. ¦ all(.[]; . > 3) ¦ [3,4] ¦ false
any ¦ True when some element is true. ¦ any ¦ [false,true] ¦ true
any(condition) ¦ True when the condition holds for some element. ¦ any(. > 3) ¦ [3,4] ¦ true
any(source; condition) ¦ True when the condition holds for some value of source. ¦ any(.[]; . > 9) ¦ [3,4] ¦ false
arrays ¦ Lets arrays pass, and nothing else. ¦ [.[] | arrays] ¦ [1,[2]] ¦ [[2]]
booleans ¦ Lets true and false pass, and nothing else. ¦ [.[] | booleans] ¦ [1,true] ¦ [true]
bsearch(value) ¦ Where a value stands in a sorted array; when it is missing, -1 minus the place where it belongs. ¦ bsearch(3) ¦ [1,3,5] ¦ 1
combinations ¦ Every way to take one element of each inner array. ¦ [combinations] ¦ [[1,2],[3]] ¦ [[1,3],[2,3]]
combinations(n) ¦ Every way to take n elements, again and again from the same array. ¦ [combinations(2)] ¦ [0,1] ¦ [[0,0],[0,1],[1,0],[1,1]]
contains(part) ¦ True when the part lies in the input: a text in a text, elements in an array, keys in an object. ¦ contains("and") ¦ "sand" ¦ true
debug ¦ Passes its input on, and writes it to the messages. ¦ debug ¦ 3 ¦ 3
debug(message) ¦ Passes its input on, and writes what message makes of it to the messages. ¦ debug("depth \(.)") ¦ 3 ¦ 3
del(path) ¦ Without what stands at the path. ¦ del(.draught) ¦ {"draught":3,"name":"Tern"} ¦ {"name":"Tern"}
delpaths(paths) ¦ Without what stands at each of the paths, which are arrays of keys and places. ¦ delpaths([["a",0]]) ¦ {"a":[1,2]} ¦ {"a":[2]}
empty ¦ No value at all: what it stands in goes on as if nothing had been there. ¦ [1, empty, 2] ¦ null ¦ [1,2]
error ¦ Stops with the input as its message; try catches it. ¦ try error catch . ¦ "aground" ¦ "aground"
error(message) ¦ Stops with a message of one's own; try catches it. ¦ try error("aground") catch . ¦ null ¦ "aground"
finites ¦ Lets numbers pass that are neither infinite nor nan. ¦ [1, infinite | finites] ¦ null ¦ [1]
first ¦ The first element. ¦ first ¦ [7,8] ¦ 7
first(source) ¦ The first value of source; the others are not made. ¦ first(.[]) ¦ [7,8] ¦ 7
flatten ¦ One array of all that lies in arrays in the array, however deep. ¦ flatten ¦ [1,[2,[3]]] ¦ [1,2,3]
flatten(depth) ¦ Flattens so many levels. ¦ flatten(1) ¦ [1,[2,[3]]] ¦ [1,2,[3]]
from_entries ¦ An object of an array of pairs with key (or name, or k) and value (or v). ¦ from_entries ¦ [{"key":"a","value":1}] ¦ {"a":1}
fromstream(events) ¦ Makes values again of what tostream took apart. ¦ fromstream(tostream) ¦ {"a":[1]} ¦ {"a":[1]}
getpath(path) ¦ What stands at a path given as an array of keys and places; null where nothing does. ¦ getpath(["a",0]) ¦ {"a":[5]} ¦ 5
group_by(key) ¦ Arrays of the elements that have the same key, sorted by it. ¦ group_by(.g) ¦ [{"g":2},{"g":1},{"g":2}] ¦ [[{"g":1}],[{"g":2},{"g":2}]]
has(key) ¦ True when an object has the key, or an array the place. ¦ has("depth") ¦ {"depth":null} ¦ true
in(object) ¦ True when the input is a key of the object, or a place of the array. ¦ in({"a":1}) ¦ "a" ¦ true
index(part) ¦ Where a part first stands in a text or an array; null when it does not. ¦ index("i") ¦ "tide in" ¦ 1
indices(part) ¦ Every place at which a part stands. ¦ indices(2) ¦ [2,1,2] ¦ [0,2]
inside(whole) ¦ True when the input lies in the whole: contains, the other way round. ¦ inside("sand") ¦ "and" ¦ true
isempty(source) ¦ True when source gives no value. ¦ isempty(.[]) ¦ [] ¦ true
iterables ¦ Lets arrays and objects pass, and nothing else. ¦ [.[] | iterables] ¦ [1,[2],{}] ¦ [[2],{}]
keys ¦ The keys of an object, sorted; the places of an array. ¦ keys ¦ {"b":1,"a":2} ¦ ["a","b"]
keys_unsorted ¦ The keys of an object in the order in which they stand. ¦ keys_unsorted ¦ {"b":1,"a":2} ¦ ["b","a"]
last ¦ The last element. ¦ last ¦ [7,8] ¦ 8
last(source) ¦ The last value of source. ¦ last(.[]) ¦ [7,8] ¦ 8
length ¦ How many elements, keys or characters; of a number its size without sign; of null 0. ¦ map(length) ¦ ["tide",[1,2],{},-4] ¦ [4,2,0,4]
limit(n; source) ¦ At most the first n values of source. ¦ [limit(2; .[])] ¦ [7,8,9] ¦ [7,8]
map(f) ¦ An array of what f makes of each element. ¦ map(. * 2) ¦ [1,2] ¦ [2,4]
map_values(f) ¦ The same object or array, with what f makes of each value. ¦ map_values(. + 1) ¦ {"a":1} ¦ {"a":2}
max ¦ The greatest element; null of an empty array. ¦ max ¦ [3,9,4] ¦ 9
max_by(key) ¦ The element whose key is the greatest. ¦ max_by(.depth) ¦ [{"depth":3},{"depth":9}] ¦ {"depth":9}
min ¦ The least element; null of an empty array. ¦ min ¦ [3,9,4] ¦ 3
min_by(key) ¦ The element whose key is the least. ¦ min_by(.depth) ¦ [{"depth":3},{"depth":9}] ¦ {"depth":3}
normals ¦ Lets numbers pass that are neither 0 nor infinite nor too small to be exact. ¦ [.[] | normals] ¦ [0,1] ¦ [1]
not ¦ False of everything but false and null, of which it is true. ¦ map(not) ¦ [true,null,0] ¦ [false,true,false]
nth(n) ¦ The element at a place, from 0. ¦ nth(1) ¦ [7,8] ¦ 8
nth(n; source) ¦ The value of source at a place, from 0. ¦ nth(1; .[]) ¦ [7,8] ¦ 8
nulls ¦ Lets null pass, and nothing else. ¦ [.[] | nulls] ¦ [1,null] ¦ [null]
numbers ¦ Lets numbers pass, and nothing else. ¦ [.[] | numbers] ¦ ["a",1] ¦ [1]
objects ¦ Lets objects pass, and nothing else. ¦ [.[] | objects] ¦ [1,{}] ¦ [{}]
path(expression) ¦ Where an expression looks, as an array of keys and places. ¦ path(.a[0]) ¦ null ¦ ["a",0]
paths ¦ The path of everything in the input. ¦ [paths] ¦ {"a":[5]} ¦ [["a"],["a",0]]
paths(condition) ¦ The paths of what the condition holds for. ¦ [paths(type == "number")] ¦ {"a":[5]} ¦ [["a",0]]
pick(paths) ¦ Only what stands at the paths, where it stands. ¦ pick(.a, .c.d) ¦ {"a":1,"b":2,"c":{"d":3,"e":4}} ¦ {"a":1,"c":{"d":3}}
range(upto) ¦ Whole numbers from 0, up to and without the last. ¦ [range(3)] ¦ null ¦ [0,1,2]
range(from; upto) ¦ Whole steps from the first, up to and without the last. ¦ [range(2; 4)] ¦ null ¦ [2,3]
range(from; upto; by) ¦ Numbers from the first in steps of by. ¦ [range(0; 10; 4)] ¦ null ¦ [0,4,8]
recurse ¦ The input, all that lies in it, and all that lies in that: the long name of two dots. ¦ [recurse] ¦ [1,[2]] ¦ [[1,[2]],1,[2],2]
recurse(f) ¦ The input, what f makes of it, what f makes of that, until f gives nothing. ¦ [recurse(.next // empty) | .n] ¦ {"n":1,"next":{"n":2}} ¦ [1,2]
recurse(f; condition) ¦ As with one argument, as long as the condition holds. ¦ [recurse(. * 2; . < 10)] ¦ 1 ¦ [1,2,4,8]
repeat(f) ¦ What f makes of the input, again and again without end; limit ends it. ¦ [limit(3; repeat(. * 2))] ¦ 1 ¦ [2,2,2]
reverse ¦ An array from its end, or a text. ¦ reverse ¦ [1,2,3] ¦ [3,2,1]
rindex(part) ¦ Where a part last stands; null when it does not. ¦ rindex("e") ¦ "ebb tide" ¦ 7
scalars ¦ Lets pass what is neither an array nor an object. ¦ [.[] | scalars] ¦ [1,[2]] ¦ [1]
select(condition) ¦ Lets its input pass where the condition holds, and gives nothing where it does not. ¦ .[] | select(.depth > 3) ¦ [{"depth":2},{"depth":5}] ¦ {"depth":5}
setpath(path; value) ¦ The input with a value set at a path. ¦ setpath(["a",0]; 5) ¦ null ¦ {"a":[5]}
skip(n; source) ¦ The values of source without the first n. ¦ [skip(1; .[])] ¦ [7,8,9] ¦ [8,9]
sort ¦ Sorted: null, false, true, numbers, texts, arrays, objects. ¦ sort ¦ [3,null,1] ¦ [null,1,3]
sort_by(key) ¦ Sorted by a key; several keys after commas. ¦ sort_by(.d) ¦ [{"d":2},{"d":1}] ¦ [{"d":1},{"d":2}]
strings ¦ Lets texts pass, and nothing else. ¦ [.[] | strings] ¦ [1,"a"] ¦ ["a"]
to_entries ¦ An array of the pairs of an object, each with key and value. ¦ to_entries ¦ {"a":1} ¦ [{"key":"a","value":1}]
tostream ¦ Takes a value apart into paths and leaves, one event each. ¦ [tostream] ¦ {"a":1} ¦ [[["a"],1],[["a"]]]
transpose ¦ Rows become columns; what is missing is null. ¦ transpose ¦ [[1,2],[3]] ¦ [[1,3],[2,null]]
truncate_stream(events) ¦ Events of a stream without the first levels of their paths; the input says how many. ¦ [1 | truncate_stream([["a","b"],3])] ¦ null ¦ [[["b"],3]]
type ¦ The name of the kind of a value. ¦ map(type) ¦ [1,"a",null,[],{},true] ¦ ["number","string","null","array","object","boolean"]
unique ¦ Sorted, each value once. ¦ unique ¦ [2,1,2] ¦ [1,2]
unique_by(key) ¦ The first element of each key, sorted by it. ¦ unique_by(.g) ¦ [{"g":1,"n":1},{"g":1,"n":2}] ¦ [{"g":1,"n":1}]
until(condition; f) ¦ Runs f again and again until the condition holds. ¦ until(. > 20; . * 2) ¦ 3 ¦ 24
values ¦ Lets everything pass but null. ¦ [.[] | values] ¦ [1,null] ¦ [1]
walk(f) ¦ Runs f on everything in the input, the innermost first. ¦ walk(if type == "number" then . + 1 else . end) ¦ [1,[2]] ¦ [2,[3]]
while(condition; f) ¦ The input, what f makes of it, and so on, as long as the condition holds. ¦ [while(. < 5; . + 2)] ¦ 0 ¦ [0,2,4]
with_entries(f) ¦ Runs f on each pair of an object, as key and value, and makes an object of them again. ¦ with_entries(.value += 1) ¦ {"a":1} ¦ {"a":2}
`;
