// Functions of jq over texts, patterns, dates and input. One a line, as in functions-values.ts.
export const TEXT_FUNCTIONS = String.raw`
ascii_downcase ¦ The letters A to Z in small. ¦ ascii_downcase ¦ "HIGH Water" ¦ "high water"
ascii_upcase ¦ The letters a to z in capitals. ¦ ascii_upcase ¦ "low" ¦ "LOW"
builtins ¦ The names of all functions with the number of their arguments. ¦ builtins | length > 200 ¦ null ¦ true
capture(pattern) ¦ An object of the named groups of the first match. ¦ capture("(?<h>[0-9]+):(?<m>[0-9]+)") ¦ "at 09:40" ¦ {"h":"09","m":"40"}
capture(pattern; flags) ¦ The same with flags: g for every match, i for any case, x for spaces without meaning. ¦ capture("(?<s>SAND)"; "i") ¦ "sand" ¦ {"s":"sand"}
endswith(text) ¦ True when a text ends with the other. ¦ endswith(".csv") ¦ "tides.csv" ¦ true
env ¦ The environment: here it is empty, whatever the host has. ¦ env ¦ null ¦ {}
explode ¦ The code points of a text. ¦ explode ¦ "aé" ¦ [97,233]
format(name) ¦ Writes the input as the format of that name would. ¦ format("csv") ¦ [1,"a"] ¦ "1,\"a\""
fromdate ¦ Seconds since 1970 of a time like 2026-01-15T09:40:00Z. ¦ fromdate ¦ "1970-01-02T00:00:00Z" ¦ 86400
fromdateiso8601 ¦ Seconds since 1970 of a time like 2026-01-15T09:40:00Z. ¦ fromdateiso8601 ¦ "1970-01-01T00:01:00Z" ¦ 60
fromjson ¦ The value that a text of JSON holds. ¦ fromjson ¦ "{\"a\":1}" ¦ {"a":1}
get_jq_origin ¦ The folder of the jq program: in this sandbox it says nothing. ¦ get_jq_origin ¦ null ¦ "."
get_prog_origin ¦ The folder of the program that runs: in this sandbox it says nothing. ¦ get_prog_origin ¦ null ¦ "/"
get_search_list ¦ The folders that modules would come from: here there are none to read. ¦ get_search_list | type ¦ null ¦ "array"
gmtime ¦ Seconds since 1970 as an array: year, month from 0, day, hour, minute, second, weekday, day of the year. ¦ gmtime ¦ 86400 ¦ [1970,0,2,0,0,0,5,1]
gsub(pattern; text) ¦ Every match replaced; the text may name groups, as in "\(.name)". ¦ gsub("[aeiou]"; "_") ¦ "tide" ¦ "t_d_"
gsub(pattern; text; flags) ¦ The same with flags. ¦ gsub("E"; "-"; "i") ¦ "ebb, eel" ¦ "-bb, --l"
halt ¦ Ends the program at once. ¦ 1, halt, 2 ¦ null ¦ 1
halt_error ¦ Ends the program with the input as a message of failure. ¦ if .depth < 2 then halt_error else . end ¦ {"depth":3} ¦ {"depth":3}
halt_error(status) ¦ The same with an exit status of one's own. ¦ if .depth < 2 then halt_error(3) else . end ¦ {"depth":3} ¦ {"depth":3}
implode ¦ The text of an array of code points. ¦ implode ¦ [97,233] ¦ "aé"
input ¦ The next value of the input; an error when there is none. ¦ [., input] ¦ 1 2 ¦ [1,2]
input_filename ¦ The name of the file that is read: here it is null. ¦ input_filename ¦ 1 ¦ null
input_line_number ¦ How many line ends of the input have been read. ¦ input_line_number | type ¦ 1 ¦ "number"
inputs ¦ All further values of the input, one after the other; with -n these are all. ¦ [., inputs] ¦ 1 2 3 ¦ [1,2,3]
join(separator) ¦ One text of the elements, with a separator between them; null counts as empty. ¦ join("/") ¦ ["Rye",null,7] ¦ "Rye//7"
localtime ¦ As gmtime, in local time: here that is UTC. ¦ localtime ¦ 0 ¦ [1970,0,1,0,0,0,4,0]
ltrim ¦ Without the spaces at its start. ¦ ltrim ¦ "  tide " ¦ "tide "
ltrimstr(text) ¦ Without a text at its start, where it has that. ¦ ltrimstr("MV ") ¦ "MV Tern" ¦ "Tern"
match(pattern) ¦ The first match: its offset, length, text and captures. ¦ match("i.e") | .string, .offset ¦ "tide" ¦ "ide" 1
match(pattern; flags) ¦ The same with flags; g gives every match. ¦ [match("a"; "g").offset] ¦ "sandbar" ¦ [1,5]
mktime ¦ Seconds since 1970 of an array as gmtime gives it. ¦ mktime ¦ [1970,0,2,0,0,0,5,1] ¦ 86400
modulemeta ¦ What a module says of itself: modules are not read here. ¦ try modulemeta catch "none" ¦ "tides" ¦ "none"
now ¦ The seconds since 1970, as of now. ¦ now | type ¦ null ¦ "number"
rtrim ¦ Without the spaces at its end. ¦ rtrim ¦ " tide  " ¦ " tide"
rtrimstr(text) ¦ Without a text at its end, where it has that. ¦ rtrimstr(".csv") ¦ "tides.csv" ¦ "tides"
scan(pattern) ¦ Every match as a text, or its groups as an array. ¦ [scan("[0-9]+")] ¦ "9 of 12" ¦ ["9","12"]
scan(pattern; flags) ¦ The same with flags. ¦ [scan("A"; "i")] ¦ "aA" ¦ ["a","A"]
split(separator) ¦ The parts of a text between separators. ¦ split(", ") ¦ "sand, mud" ¦ ["sand","mud"]
split(pattern; flags) ¦ The parts between matches of a pattern; flags may be null. ¦ split(", *"; null) ¦ "sand,  mud" ¦ ["sand","mud"]
splits(pattern) ¦ The parts between matches of a pattern, one after the other. ¦ [splits(", *")] ¦ "a,  b" ¦ ["a","b"]
splits(pattern; flags) ¦ The same with flags. ¦ [splits("X"; "i")] ¦ "axb" ¦ ["a","b"]
startswith(text) ¦ True when a text begins with the other. ¦ startswith("MV") ¦ "MV Tern" ¦ true
stderr ¦ Passes its input on, and writes it to the messages as compact JSON. ¦ stderr ¦ 3 ¦ 3
strflocaltime(format) ¦ A time written by a format in local time: here that is UTC. ¦ strflocaltime("%H:%M") ¦ 3600 ¦ "01:00"
strftime(format) ¦ A time, in seconds or as gmtime gives it, written by a format. ¦ strftime("%Y-%m-%d") ¦ 86400 ¦ "1970-01-02"
strptime(format) ¦ A text read by a format, as an array like that of gmtime. ¦ strptime("%Y-%m-%d") | mktime ¦ "1970-01-02" ¦ 86400
sub(pattern; text) ¦ The first match replaced. ¦ sub("e"; "E") ¦ "eel" ¦ "Eel"
sub(pattern; text; flags) ¦ The same with flags; g replaces every match. ¦ sub("E"; "-"; "gi") ¦ "eel" ¦ "--l"
test(pattern) ¦ True when a pattern matches somewhere. ¦ test("^09:") ¦ "09:40" ¦ true
test(pattern; flags) ¦ The same with flags. ¦ test("SAND"; "i") ¦ "wet sand" ¦ true
toboolean ¦ true and false of their texts. ¦ map(toboolean) ¦ ["true",false] ¦ [true,false]
todate ¦ Seconds since 1970 as a time like 2026-01-15T09:40:00Z. ¦ todate ¦ 86400 ¦ "1970-01-02T00:00:00Z"
todateiso8601 ¦ Seconds since 1970 as a time like 2026-01-15T09:40:00Z. ¦ todateiso8601 ¦ 0 ¦ "1970-01-01T00:00:00Z"
tojson ¦ The value as a text of JSON. ¦ tojson ¦ {"a":1} ¦ "{\"a\":1}"
tonumber ¦ The number that a text is; a number stays. ¦ tonumber ¦ "7.5" ¦ 7.5
tostring ¦ A text stays; anything else becomes its JSON. ¦ map(tostring) ¦ ["a",1] ¦ ["a","1"]
trim ¦ Without the spaces at both ends. ¦ trim ¦ "  tide " ¦ "tide"
trimstr(text) ¦ Without a text at both ends, where it has that. ¦ trimstr("-") ¦ "-tide-" ¦ "tide"
utf8bytelength ¦ The bytes of a text as UTF-8. ¦ utf8bytelength ¦ "é" ¦ 2
`;
