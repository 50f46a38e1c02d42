"""Special forms, and the effect operations that are always answered."""

from __future__ import annotations

from vcad_kernel.loon.reference_entries.chapter import Chapter

__all__ = ["ENTRIES"]

_definitions = Chapter("Definitions")
_control = Chapter("Flow")
_effects = Chapter("Effects")
_types = Chapter("Types")
_macros = Chapter("Macros")
_tools = Chapter("Modules and tools")

ENTRIES = (
    _definitions.form(
        "[let pattern value]",
        "Binds a name to a value; later forms of the same scope see it. There is no body, and one let binds "
        "one pattern. [a b] takes a vector or tuple apart, {w 50} takes :w out of a map with 50 where it "
        "is missing, {w w} without a default. [let mut v …] marks a variable that push! may work on. At the "
        "top of a program or cell the name is global.",
        "[let w 50] [let [a b] (3 4)] [let {h h depth 5} {:h 30}] #[w a b h depth]",
        "#[50 3 4 30 5]",
        "pattern: a name, [a b …] or {name default …}",
        "value: any expression",
    ),
    _definitions.form(
        "[defparam name default {options}]",
        "Binds a name to a number that whoever runs the program may set: a slider in a notebook, -p on the "
        "command line. The options are :unit and :doc, texts for people, and the numbers :min, :max and "
        ":step; a value beyond :min or :max is an error. It stands at the top of a program or cell. In a "
        "module that another text uses, it is the default.",
        '[defparam width 40.0 {:unit "mm" :min 10 :max 80}] [* width 2.0]',
        "80",
        "name: a symbol",
        "default: a number; a whole one takes whole numbers only",
        "options: a map, which may be left out",
    ),
    _definitions.form(
        "[set! name value]",
        "Gives an existing variable a new value, and is that value. Functions made before keep the value "
        "that they captured.",
        "[let mut w 50] [set! w 60] w",
        "60",
        "name: a variable",
        "value: any expression",
    ),
    _definitions.form(
        "[fn name [a b …] body …]",
        "Defines a function. With a name it is global and may call itself; without one, [fn [a b] body], it "
        "is a value. The last form of the body is what it gives. [a & more] collects further arguments in a "
        "vector; ([a] …) ([a b] …) after the name gives a body for each number of arguments.",
        "[fn area [w h] [* w h]] [area 50 30]",
        "1500",
        "name: left out for a function without a name",
        "a b …: the parameters, names or patterns as in let",
        "body …: forms; the last one's value is the function's",
    ),
    _definitions.form(
        "[mut e]",
        "The value of e. Marks it for readers as something that is changed on the way.",
        "[mut #[1 2]]",
        "#[1 2]",
        "e: any expression",
    ),
    _control.form(
        "[if condition then else]",
        "Chooses one of two values; only the chosen one is computed. False are false, unit and the int 0, "
        "nothing else. Without else it gives unit when the condition is false.",
        '[let wall 2] [if [< wall 3] "thin" "thick"]',
        '"thin"',
        "condition: any expression, taken for its truth",
        "then, else: expressions; else may be left out",
    ),
    _control.form(
        "[do e …]",
        "Evaluates forms one after the other and gives the last value. It opens no scope: a let inside is "
        "seen after it.",
        "[do [let w 50] [* w 2]]",
        "100",
        "e …: any expressions",
    ),
    _control.form(
        "[pipe value step …]",
        "Hands a value from step to step, each time as the last argument. A step is a call that lacks its "
        "last argument, or the name of a function. A fn is no step: name it first.",
        "[pipe #[1 2 3] [map [fn [x] [* x x]]] sum]",
        "14",
        "value: any expression",
        "step …: calls without their last argument, or names",
    ),
    _control.form(
        "[match value pattern body …]",
        "Takes the first pattern that fits and evaluates its body. No arrows stand between them. [Some d] "
        "fits a value of that constructor and binds its field; a lower-case name fits everything and is "
        "bound, it is not compared; _ fits everything. pattern [when condition] body asks further. Vectors, "
        "maps and tuples are no patterns.",
        '[match [Some 6] [Some d] [when [> d 5]] "big" [Some d] "small" None "none"]',
        '"big"',
        "value: any expression",
        "pattern body …: in pairs, tried in order",
    ),
    _control.form(
        "[try body on-fail]",
        "The value of the body, or, when it performs Fail.fail, of the function called with the message. It "
        "catches only that: an error of the program, such as a division by zero, goes on.",
        '[try [Fail.fail "too thin"] [fn [why] [str "refused: " why]]]',
        '"refused: too thin"',
        "body: any expression",
        "on-fail: a function of the message",
    ),
    _effects.form(
        "[handle body [Effect.op a …] clause …]",
        "Evaluates the body and answers the operations that it performs. [resume v] in a clause goes on "
        "with v as the operation's value, at most once; a clause that ends without it abandons the body, and "
        "its value is the whole form's.",
        "[handle [* 2 [Size.get :w]] [Size.get key] [resume [get {:w 50} key]]]",
        "100",
        "body: any expression",
        "[Effect.op a …]: an operation, with names for its arguments",
        "clause: what to do then",
    ),
    _effects.form(
        "[effect Name [fn op [a …]] …]",
        "Declares the operations of an effect, for readers and tools. Operations work without it too.",
        "[effect Size [fn get [key]]] [handle [Size.get :w] [Size.get k] [resume 50]]",
        "50",
        "Name: with a capital",
        "[fn op [a …]] …: the operations",
    ),
    _effects.effect(
        "[Fail.fail message]",
        "Gives up and hands a message to the nearest try, or handle of Fail.fail. Without one the program "
        "stops with the message.",
        '[fn wall [t] [if [< t 1] [Fail.fail "thinner than 1 mm"] t]] [try [wall 0] [fn [why] why]]',
        '"thinner than 1 mm"',
        "message: any value, mostly a string",
    ),
    _effects.effect(
        "[IO.println x …]",
        "Prints like println, but as an effect: a handle around it may catch what is printed.",
        '[handle [do [IO.println "hello"] 1] [IO.println text] [resume ()]]',
        "1",
        "x …: any values",
    ),
    _types.form(
        "[type Name parameter … variant …]",
        "Defines a type by its variants and binds their constructors. [Plate Float Float] has two fields; "
        "Blank, without brackets, has none and is a value; lower-case names are type parameters. Fields may "
        "be named, [Pin :d Float :h Float], and then be read as p.d. A [fn m [field …] …] inside a variant "
        "is a method.",
        "[type Part [Plate Float Float] [Pin :d Float] Blank] [let p [Pin 6.0]] "
        "([Plate 50.0 30.0] p.d Blank)",
        "([Plate 50 30], 6, Blank)",
        "Name: with a capital",
        "parameter …: lower-case names of types",
        "variant …: Name or [Name field …]",
    ),
    _types.form(
        "[derive Copy [type …]]",
        "Defines a type whose values are plain data: the ownership check never calls them moved.",
        "[derive Copy [type Point [Pt Float Float]]] [Pt 1.0 2.0]",
        "[Pt 1 2]",
        "[type …]: a type definition",
    ),
    _types.form(
        "[sig name : A -> B -> C]",
        "Says the type that the next definition of a name must have; the checker compares. It changes "
        "nothing when the program runs.",
        "[sig area : Float -> Float -> Float] [fn area [w h] [* w h]] [area 2.0 3.0]",
        "6",
        "name: the name to be defined",
        "A -> B -> C: types of the parameters, and of the value last",
    ),
    _types.form(
        "[trait Name [fn m [self …] -> Type] …]",
        "Declares methods that types may implement with impl. For the checker alone.",
        "[trait Sized [fn size [self] -> Float]]",
        "()",
        "Name: with a capital",
        "[fn m [self …] -> Type] …: the methods",
    ),
    _types.form(
        "[impl Trait Type [fn m [self …] body …] …]",
        "Defines a trait's methods for a type as functions Type.m. Such a name reads as an effect operation "
        "when it is called: pass it, as in [map Pin.size pins], or bind it first.",
        "[type Pin [Pin Float]] [trait Sized [fn size [self] -> Float]] "
        "[impl Sized Pin [fn size [self] [match self [Pin d] d]]] [map Pin.size #[[Pin 6.0]]]",
        "#[6]",
        "Trait, Type: their names",
        "[fn m [self …] body …] …: the methods",
    ),
    _macros.form(
        "[macro name [a …] `template]",
        "Defines a form of your own, for all forms after it. The template, behind a backquote, replaces each "
        "call; ~a puts in an argument as it was written, ~@rest all arguments of a rest parameter. Only at "
        "the top of a program or cell.",
        "[macro doubled [x] `[* 2 ~x]] [doubled 21]",
        "42",
        "name: the new form",
        "a …: names for its arguments; & rest last takes all that are left",
        "template: what a call turns into",
    ),
    _macros.form(
        "[macro+ name [a …] body]",
        "Reserved for macros that see types; it does nothing here. Use macro.",
        "[macro+ m [a] a] 1",
        "1",
    ),
    _macros.form(
        "[macroexpand e]",
        "What a form turns into once its macros are expanded, as a string. Only at the top of a program or "
        "cell.",
        "[macro twice [x] `[* 2 ~x]] [macroexpand [twice 5]]",
        '"[* 2 5]"',
        "e: any form",
    ),
    _tools.form(
        "[use module …]",
        "Loads another file. [use plate] makes its names plate.x, [use plate :as p] p.x, [use plate [mass]] "
        "mass alone. The file is plate.oo or plate.loon beside this one, or under src; dots in the name are "
        "folders. Only at the top of a program or cell.",
        "",
        "",
        "module: the file's name without its ending",
        "…: nothing, :as and a short name, or the names to take in brackets",
    ),
    _tools.form(
        "[pub definition]",
        "Marks what a module hands to those who use it: [pub fn …], [pub let …], [pub type …]. A module "
        "that marks nothing hands out everything.",
        "[pub fn area [w h] [* w h]] [area 5 3]",
        "15",
        "definition: fn, let or type with what follows it",
    ),
    _tools.form(
        "[test name [] body …]",
        "Defines a test, a function without parameters that `vcad test` calls. It passes when it ends "
        "without an error; assert-eq is what to check with. Running the program does not run it.",
        "[test areas-multiply [] [assert-eq [* 5 3] 15]]",
        "()",
        "name: a symbol, not a string",
        "body …: forms",
    ),
    _tools.form(
        "[inspect e]",
        "Prints a form with its value and gives the value: to look at what flows through a pipe or a sum.",
        "[+ 1 [inspect [* 2 3]]]",
        "7",
        "e: any expression",
    ),
    _tools.form(
        "[catch-errors text]",
        "Checks Loon text without running it and gives what it found: a vector of maps with :code :what "
        ":why :fix :spans, empty when all is well.",
        '[len [catch-errors "[+ 1"]]',
        "1",
        "text: a string",
    ),
)
