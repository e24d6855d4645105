//! Programs with results that are worked out by hand, their errors, and what no program may do.

use std::collections::BTreeMap;

use proptest::prelude::*;

use crate::{
    Constant, FUEL, Field, Hook, Host, Interface, Method, Outcome, Program, Record, State, Type,
    Wanted,
};

static BOX: Record = Record {
    name: "box",
    fields: &[Field { name: "size", kind: Type::Number, assign: Some(0) }],
    methods: &[
        Method {
            name: "twice",
            wants: &[Wanted::Value(Type::Number)],
            gives: Some(Type::Number),
            number: 1,
        },
        Method { name: "see", wants: &[Wanted::Record("seen")], gives: None, number: 2 },
    ],
};
static SEEN: Record = Record {
    name: "seen",
    fields: &[
        Field::read("x", Type::Number),
        Field::read("is_odd", Type::Truth),
        Field::read("now", Type::Time),
        Field::read("sign", Type::Word),
    ],
    methods: &[],
};
static BEFORE: Record = Record { name: "before", fields: &[], methods: &[] };
static INTERFACE: Interface = Interface {
    standing: &[BOX_COPY],
    hooks: &[
        Hook { name: "see", takes: Some(&SEEN), gives: Some(Type::Number) },
        Hook { name: "act", takes: None, gives: None },
        Hook { name: "back", takes: Some(&BEFORE), gives: None },
    ],
    constants: &[
        Constant { name: "RED", kind: Type::Word, bits: 1 },
        Constant { name: "BLUE", kind: Type::Word, bits: 2 },
    ],
    declarations: &["loud"],
    earlier: Some("before"),
};
const BOX_COPY: Record = Record { name: BOX.name, fields: BOX.fields, methods: BOX.methods };

/// Notes the calls of methods.
#[derive(Default)]
struct Notes(Vec<f64>);

impl Host for Notes {
    fn call(&mut self, method: u8, registers: &mut [u64], at: usize) -> Result<u64, String> {
        match method {
            0 => {
                let size = f64::from_bits(registers[at]);
                if size < 0.0 {
                    return Err(format!("a size of {size}"));
                }
                registers[0] = registers[at];
                Ok(0)
            }
            1 => Ok((2.0 * f64::from_bits(registers[at])).to_bits()),
            _ => {
                self.0.push(f64::from_bits(registers[1]));
                Ok(0)
            }
        }
    }
}

fn program(source: &str) -> Program {
    Program::compile(source, &INTERFACE).unwrap_or_else(|mistake| panic!("{mistake}"))
}

fn begun(program: &Program) -> State {
    let mut state = program.state(&BTreeMap::new());
    program.begin(&mut state, &mut Notes::default()).expect("a start");
    state
}

/// What `see` answers when x is this.
fn see(program: &Program, state: &mut State, x: f64) -> f64 {
    state.registers[1] = x.to_bits();
    let entry = program.entry("see").expect("the hook");
    match program.call(entry, state, &mut Notes::default()) {
        Ok(Outcome::Value(bits)) => f64::from_bits(bits),
        other => panic!("{other:?}"),
    }
}

/// The value of an expression of x, at some x.
fn at(expression: &str, x: f64) -> f64 {
    let program = program(&format!("def see(s):\n    x = s.x\n    return {expression}\n"));
    let mut state = begun(&program);
    see(&program, &mut state, x)
}

fn wrong(source: &str) -> String {
    Program::compile(source, &INTERFACE).expect_err("an error").to_string()
}

#[test]
fn operators_bind_as_in_python() {
    let all = [
        ("1 + 2 * x - 4 / 2", 9.0),
        ("-x ** 2", -25.0),
        ("2 ** -1 * x", 2.5),
        ("-7 // 2 + -7 % 3", -4.0 + 2.0),
        ("7 % -3", -2.0),
        ("(1 if x > 4 and not x > 5 else 2) + 10", 11.0),
        ("1 if x < 4 or x == 5 else 2", 1.0),
        ("1 if not x != 5 else 2", 1.0),
        ("min(x, 3, 4) + max(1, x)", 8.0),
        ("floor(2.5) + ceil(2.5) + abs(-1) + sqrt(16) + cbrt(27)", 13.0),
        ("10 - 3 - 2", 5.0),
        ("2 ** 3 ** 2", 512.0),
    ];
    for (expression, expected) in all {
        assert!((at(expression, 5.0) - expected).abs() < 1e-12, "{expression}");
    }
}

#[test]
fn a_number_that_is_none_compares_as_in_ieee_754() {
    let nan = "(0 / 0)";
    for (condition, expected) in [("<", 2.0), (">=", 2.0), ("==", 2.0), ("!=", 1.0)] {
        let found = at(&format!("1 if {nan} {condition} x else 2"), 5.0);
        assert!((found - expected).abs() < 1e-12, "{condition}");
    }
    assert!((at(&format!("1 if not {nan} < x else 2"), 5.0) - 1.0).abs() < 1e-12);
}

#[test]
fn variables_outlive_calls_and_a_clone_has_its_own() {
    let program = program("sum = 0\ndef see(s):\n    sum += s.x\n    return sum\n");
    let mut state = begun(&program);
    assert!((see(&program, &mut state, 2.0) - 2.0).abs() < 1e-12);
    let mut other = state.clone();
    assert!((see(&program, &mut state, 3.0) - 5.0).abs() < 1e-12);
    assert!((see(&program, &mut other, 10.0) - 12.0).abs() < 1e-12);
}

#[test]
fn functions_are_called_with_copies_and_return_from_anywhere() {
    let program = program(
        "calls = 0\n\
         def fibonacci(n):\n    a = 0\n    b = 1\n    for i in range(n):\n        c = a + b\n        \
         a = b\n        b = c\n    calls += 1\n    return a\n\
         def clipped(n):\n    if n > 100:\n        n = 100\n        return n\n    return n\n\
         def see(s):\n    x = s.x\n    return fibonacci(x) + clipped(1000) + x + calls * 1000\n",
    );
    let mut state = begun(&program);
    // 0 1 1 2 3 5 8 13 21 34 55, and the sum is read from left to right.
    assert!((see(&program, &mut state, 10.0) - (55.0 + 100.0 + 10.0 + 1000.0)).abs() < 1e-12);
}

#[test]
fn a_left_side_is_what_it_was_before_the_right_side_is_called() {
    let program = program(
        "n = 1\ndef bump():\n    n += 1\n    return n\n\
         def see(s):\n    return n * 100 + bump() if n + bump() == 3 else -1\n",
    );
    let mut state = begun(&program);
    assert!((see(&program, &mut state, 0.0) - 203.0).abs() < 1e-12);
}

#[test]
fn loops_break_and_continue() {
    let program = program(
        "def see(s):\n    sum = 0\n    for i in range(2, 100):\n        if i % 2 == 0:\n            \
         continue\n        if i > s.x:\n            break\n        sum += i\n    while True:\n        \
         sum += 1000\n        break\n    return sum\n",
    );
    let mut state = begun(&program);
    assert!((see(&program, &mut state, 9.0) - (3.0 + 5.0 + 7.0 + 9.0 + 1000.0)).abs() < 1e-12);
}

#[test]
fn arrays_hold_numbers_within_their_length() {
    let source = "a = array(4, 1.5)\ndef see(s):\n    a[s.x] += 1\n    return a[s.x] + a[0]\n";
    let program = program(source);
    let mut state = begun(&program);
    assert!((see(&program, &mut state, 3.0) - 4.0).abs() < 1e-12);
    for x in [4.0, -1.0, 0.5, f64::NAN, f64::INFINITY] {
        state.registers[1] = x.to_bits();
        let entry = program.entry("see").expect("the hook");
        let fault = program.call(entry, &mut state, &mut Notes::default()).expect_err("none");
        assert_eq!(fault.line, 3);
        assert_eq!(fault.problem, format!("an array of 4 has no item {x}"));
    }
}

#[test]
fn instants_differ_by_seconds_exactly() {
    let program = program(
        "last = start\ndef see(s):\n    gap = s.now - last\n    last = max(last, s.now)\n    \
         if last == never: return -1\n    return gap if s.now + gap > s.now else 0\n",
    );
    let mut state = begun(&program);
    state.registers[3] = 1_500_000_000_000;
    assert!((see(&program, &mut state, 0.0) - 1.5).abs() < 1e-12);
    state.registers[3] = 1_000_000_000_000;
    assert!(see(&program, &mut state, 0.0).abs() < 1e-12, "an earlier instant is no time ago");
    state.registers[3] = u64::MAX;
    assert!((see(&program, &mut state, 0.0) + 1.0).abs() < 1e-12);
}

#[test]
fn words_truths_records_and_methods_are_what_the_interface_says() {
    let program = program(
        "loud()\nodd = False\ndef look(what): box.see(what)\n\
         def see(s):\n    odd = s.is_odd\n    look(s)\n    if s.sign == RED and odd: box.size = 7\n    \
         return box.twice(box.size) + box.size\n",
    );
    assert!(program.declares("loud"));
    let mut state = begun(&program);
    (state.registers[2], state.registers[4]) = (1, 1);
    assert!((see(&program, &mut state, 0.0) - 21.0).abs() < 1e-12);
}

#[test]
fn the_earlier_state_is_seen_beside_the_present_one() {
    let program = program(
        "a = 1\nb = 2\ndef act():\n    a = 10\n    b = 20\n\
         def back(before):\n    a += before.b * 100\n",
    );
    let mut state = begun(&program);
    let before = state.clone();
    let act = program.entry("act").expect("the hook");
    program.call(act, &mut state, &mut Notes::default()).expect("done");
    program.see_earlier(&mut state, &before);
    let back = program.entry("back").expect("the hook");
    program.call(back, &mut state, &mut Notes::default()).expect("done");
    let a = program.variables().find(|(name, _)| *name == "a").expect("a").1;
    assert!((f64::from_bits(state.registers[usize::from(a)]) - 210.0).abs() < 1e-12);
}

#[test]
fn parameters_have_defaults_and_ranges_and_do_not_change() {
    let program = program("k = parameter(1 / 4, 0, 1)\ndef see(s):\n    return k * s.x\n");
    let [k] = program.parameters() else { panic!("one parameter") };
    assert_eq!((k.name.as_str(), k.default, k.least, k.most), ("k", 0.25, 0.0, 1.0));
    let mut state = program.state(&BTreeMap::from([("k".to_owned(), 0.5)]));
    assert!((see(&program, &mut state, 8.0) - 4.0).abs() < 1e-12);
    assert_eq!(
        wrong("k = parameter(1)\ndef act():\n    k = 2\n"),
        "line 3, column 5: k is a parameter, which stays as it is"
    );
}

#[test]
fn an_endless_loop_ends_when_the_fuel_is_spent() {
    let program = program("def act():\n    n = 0\n    while True:\n        n += 1\n");
    let mut state = begun(&program);
    let act = program.entry("act").expect("the hook");
    let fault = program.call(act, &mut state, &mut Notes::default()).expect_err("endless");
    assert_eq!(fault.to_string(), format!("line 3: a call takes more than {FUEL} instructions"));
}

#[test]
fn what_the_host_refuses_is_a_fault_with_its_line() {
    let program = program("def act():\n    pass\n    box.size = -1\n");
    let mut state = begun(&program);
    let act = program.entry("act").expect("the hook");
    let fault = program.call(act, &mut state, &mut Notes::default()).expect_err("refused");
    assert_eq!(fault.to_string(), "line 3: a size of -1");
}

const WRONG: [(&str, &str); 20] = [
    ("x = 1\nx = 2", "line 2, column 1: x has a meaning already; accepted another name"),
    (
        "def on_see(s): pass",
        "line 1, column 1: no hook, and no function below calls it; found \
          on_see; accepted see, act, back",
    ),
    (
        "def act():\n    box.size = y",
        "line 2, column 16: unknown variable; found y; accepted box, RED, \
          BLUE, never, start",
    ),
    (
        "def act():\n    box.weight = 1",
        "line 2, column 5: box has no such field; found weight; \
          accepted size",
    ),
    (
        "def see(s):\n    return s.y",
        "line 2, column 12: s has no such field; found y; accepted x, \
          is_odd, now, sign",
    ),
    (
        "def see(s):\n    return s.is_odd",
        "line 2, column 12: wrong type; found True or False; \
          accepted a number",
    ),
    ("def see(s):\n    s.x = 1\n    return 1", "line 2, column 5: s.x cannot be assigned to"),
    (
        "def see(s):\n    if s.x > 1:\n        return 1\n",
        "line 1, column 1: see does not return a \
          value on every way; accepted a return with a value at each end",
    ),
    (
        "def act():\n    if box.size: pass",
        "line 2, column 8: wrong type; found a number; accepted \
          True or False",
    ),
    (
        "def act():\n    if 1 < 2 < 3: pass",
        "line 2, column 14: is not expected here; found <; \
          accepted one comparison, as in \"a < b and b < c\"",
    ),
    (
        "def act():\n    if 1 > 2:\n        z = 1\n    box.size = z",
        "line 4, column 16: z may have no \
          value here; accepted a value that it is given before, on every way",
    ),
    (
        "def act():\n  pass\n   pass",
        "line 3, column 4: is not expected here; found a line that is \
          indented further; accepted a value",
    ),
    (
        "def act():\n    act()",
        "line 2, column 5: unknown function; found act; accepted min, max, \
          abs, floor, ceil, sqrt, cbrt, exp, log, log2, and functions above",
    ),
    (
        "x = 'a'",
        "line 1, column 5: unknown sign; found \\'; accepted names, numbers, operators, \
          brackets and spaces",
    ),
    ("x = 1e999", "line 1, column 5: not a number; found 1e999; accepted one such as 0.5 or 1e6"),
    ("def act(a): pass", "line 1, column 1: act is a hook; found 1 arguments; accepted def act()"),
    (
        "quiet()",
        "line 1, column 1: nothing to be called outside of a function; found quiet; \
          accepted loud()",
    ),
    ("def act():\n    return\n    pass", "line 3, column 5: is never reached"),
    ("def act():\n    break", "line 2, column 5: is not inside a loop"),
    (
        "x = y\ny = 1",
        "line 1, column 5: y may have no value here; accepted a value that it is \
          given before, on every way",
    ),
];

#[test]
fn an_error_has_its_place_and_what_is_accepted() {
    for (source, expected) in WRONG {
        assert_eq!(wrong(source), expected, "{source}");
    }
}

#[test]
fn nothing_is_nested_or_written_out_without_bound() {
    let deep = format!("x = {}1{}", "(".repeat(60), ")".repeat(60));
    assert!(wrong(&deep).contains("nested too deeply"));
    let chain = format!("x = 1{}", " + 1".repeat(10_000));
    assert!(wrong(&chain).contains("nested too deeply"));
    let mut source = "def f0(): pass\n".to_owned();
    for level in 1..8 {
        let calls = format!("    f{}()\n", level - 1).repeat(100);
        source.extend([format!("def f{level}():\n"), calls]);
    }
    source += "def act(): f7()\n";
    assert!(wrong(&source).contains("too many calls"));
    assert!(wrong(&"#".repeat(70_000)).contains("too long"));
}

/// Pieces of programs, from which some programs are right and most nearly so.
fn piece() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "x",
        "y",
        "box",
        "box.size",
        "s.x",
        "s.now",
        "s.is_odd",
        "s.sign",
        "RED",
        "never",
        "a[",
        "]",
        "(",
        ")",
        " + ",
        " - ",
        " * ",
        " / ",
        " % ",
        " ** ",
        " // ",
        " < ",
        " == ",
        " and ",
        " or ",
        " not ",
        " if ",
        " else ",
        " = ",
        " += ",
        "1",
        "0",
        "2.5",
        "\n",
        "\n    ",
        "\n        ",
        ":",
        "def act()",
        "def see(s)",
        "def f(p)",
        "f(",
        "while ",
        "for i in range(",
        "return ",
        "break",
        "continue",
        "pass",
        "min(",
        ", ",
        "cbrt(",
        "box.twice(",
        "array(",
        "parameter(",
        "True",
        "#",
        "é",
        "\t",
        "loud()",
    ])
}

/// Statements that compile, in a loop that may be long.
fn line() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "x += s.x",
        "x = x * 1.5 - y",
        "y = min(x, box.size) / x",
        "a[i % 3] = x",
        "x = a[i % 3] ** y",
        "if x > y: break",
        "if y != y: continue",
        "box.size = abs(x)",
        "x = box.twice(y)",
        "a[x] = 1",
        "while x < 1e9: x += 1",
        "for j in range(x): y += j",
        "x = f(x, y)",
        "return x",
    ])
}

proptest! {
    #[test]
    fn no_text_makes_the_compiler_panic(pieces in prop::collection::vec(piece(), 0..60)) {
        let _ = Program::compile(&pieces.concat(), &INTERFACE);
    }

    #[test]
    fn no_program_panics_or_goes_on_for_ever(
        lines in prop::collection::vec(line(), 0..8),
        x in prop_oneof![any::<f64>(), -5.0..5.0_f64],
    ) {
        let mut source = "x = 1\ny = 2\na = array(3, 0)\n\
                          def f(p, q):\n    return p - q if p > q else cbrt(q)\n\
                          def see(s):\n    for i in range(s.x):\n        pass\n".to_owned();
        for line in &lines {
            source.extend(["        ", line, "\n"]);
        }
        source += "    return x\n";
        // A return in the middle makes the rest unreachable, which is an error.
        if let Ok(program) = Program::compile(&source, &INTERFACE) {
            let mut state = begun(&program);
            state.registers[1] = x.to_bits();
            let mut again = state.clone();
            let entry = program.entry("see").expect("the hook");
            let one = program.call(entry, &mut state, &mut Notes::default());
            let other = program.call(entry, &mut again, &mut Notes::default());
            prop_assert_eq!(one, other);
        }
    }
}
