//! Functions, methods and their calls. A call of a function of the program is written out where it is made,
//! so there is no stack, and no function calls itself.

use super::Compiler;
use super::expressions::{Value, expect, fields};
use super::scope::{Binding, Exit, Scope};
use crate::code::{Function as Named, Instruction};
use crate::interface::{Hook, Type, Wanted};
use crate::mistake::{At, Mistake};
use crate::tree::{Expression, Function, Term};

/// Calls within calls.
const DEEPEST: usize = 8;

/// Calls that are written out.
const MOST: usize = 16_384;

/// Functions of the language that are not of one number.
const OTHERS: [&str; 4] = ["min", "max", "parameter", "array"];

impl<'a> Compiler<'a> {
    /// Compiles a function if it is a hook; others are compiled where they are called.
    pub(crate) fn define(
        &mut self,
        function: &'a Function,
        hooks: &mut [Option<u16>],
    ) -> Result<(), Mistake> {
        self.check_name(function)?;
        let interface = self.interface;
        let hook = (0..).zip(interface.hooks).find(|(_, hook)| hook.name == function.name);
        if let Some((number, hook)) = hook {
            let number: usize = number;
            hooks[number] = Some(self.here());
            self.hook(function, hook)?;
        }
        self.functions.push((function, hook.is_some()));
        Ok(())
    }

    fn check_name(&self, function: &Function) -> Result<(), Mistake> {
        let name = function.name.as_str();
        let is_taken = OTHERS.contains(&name)
            || Named::NAMED.iter().any(|(one, _)| *one == name)
            || self.functions.iter().any(|(one, _)| one.name == name)
            || self.variables.contains_key(name)
            || self.arrays.contains_key(name)
            || self.record(name).is_some()
            || self.word(name).is_some();
        if is_taken {
            let problem = format!("{name} has a meaning already");
            return Err(Mistake::new(function.at, problem).accepted("another name"));
        }
        for (number, (at, name)) in function.parameters.iter().enumerate() {
            let is_twice = function.parameters[..number].iter().any(|(_, other)| other == name);
            if is_twice || self.variables.contains_key(name) || self.record(name).is_some() {
                let problem = format!("{name} has a meaning already");
                return Err(Mistake::new(*at, problem).accepted("another name"));
            }
        }
        Ok(())
    }

    fn hook(&mut self, function: &'a Function, hook: &'static Hook) -> Result<(), Mistake> {
        let wanted = usize::from(hook.takes.is_some());
        if function.parameters.len() != wanted {
            let example = hook.takes.map_or("", |record| record.name);
            let mistake = Mistake::new(function.at, format!("{} is a hook", hook.name));
            let found = format!("{} arguments", function.parameters.len());
            return Err(mistake.found(found).accepted(format!("def {}({example})", hook.name)));
        }
        self.scope = Scope::new(Exit::Hook { name: hook.name, gives: hook.gives });
        if let (Some((_, name)), Some(record)) = (function.parameters.first(), hook.takes) {
            self.scope.bind(name, Binding::Record(record));
        }
        let (floor, top) = (self.floor, self.top);
        self.block(&function.body)?;
        if self.scope.assigned.is_some() {
            if hook.gives.is_some() {
                return Err(lacks_value(function));
            }
            self.emit(Instruction::End)?;
        }
        (self.floor, self.top) = (floor, top);
        Ok(())
    }

    /// A function that nobody calls is the misspelt name of a hook.
    pub(crate) fn uncalled(&self) -> Result<(), Mistake> {
        let Some((function, _)) = self.functions.iter().find(|(_, used)| !used) else {
            return Ok(());
        };
        let hooks: Vec<&str> = self.interface.hooks.iter().map(|hook| hook.name).collect();
        let mistake = Mistake::new(function.at, "no hook, and no function below calls it");
        Err(mistake.found(function.name.clone()).accepted(hooks.join(", ")))
    }

    /// A call; `None` if it gives no value.
    pub(crate) fn call(
        &mut self,
        at: At,
        name: &str,
        arguments: &[Expression],
        into: Option<u8>,
    ) -> Result<Option<Value>, Mistake> {
        if let Some((_, function)) = Named::NAMED.into_iter().find(|(one, _)| *one == name) {
            let [argument] = arguments else { return Err(count(at, name, arguments, 1)) };
            let a = self.number(argument)?;
            let to = self.target(into, at)?;
            self.stand_at(at);
            self.emit(Instruction::Apply { to, function, a })?;
            return Ok(Some((to, Type::Number)));
        }
        if matches!(name, "min" | "max") {
            return self.extreme(at, name, arguments, into).map(Some);
        }
        if let Some(found) = self.functions.iter().position(|(one, _)| one.name == name) {
            self.functions[found].1 = true;
            return self.write_out(at, self.functions[found].0, arguments, into);
        }
        let mut known: Vec<&str> =
            self.functions.iter().map(|(one, _)| one.name.as_str()).collect();
        known.extend(["min", "max"]);
        known.extend(Named::NAMED.map(|(name, _)| name));
        let accepted = format!("{}, and functions above", known.join(", "));
        Err(Mistake::new(at, "unknown function").found(name).accepted(accepted))
    }

    fn extreme(
        &mut self,
        at: At,
        name: &str,
        arguments: &[Expression],
        into: Option<u8>,
    ) -> Result<Value, Mistake> {
        let [first, rest @ ..] = arguments else { return Err(count(at, name, arguments, 2)) };
        if rest.is_empty() {
            return Err(count(at, name, arguments, 2));
        }
        let (mut a, kind) = self.operand(first, &rest.iter().collect::<Vec<_>>())?;
        if !matches!(kind, Type::Number | Type::Time) {
            return Err(expect(first.at, kind, Type::Number).expect_err("it is another"));
        }
        for (number, argument) in rest.iter().enumerate() {
            let (b, other) = self.value(argument, None)?;
            expect(argument.at, other, kind)?;
            let is_last = number + 1 == rest.len();
            let to = self.target(into.filter(|_| is_last), at)?;
            self.stand_at(at);
            self.emit(match (name, kind) {
                ("min", Type::Time) => Instruction::Earliest { to, a, b },
                ("min", _) => Instruction::Least { to, a, b },
                (_, Type::Time) => Instruction::Latest { to, a, b },
                (_, _) => Instruction::Most { to, a, b },
            })?;
            a = to;
        }
        Ok((a, kind))
    }

    /// The body of a function with its arguments.
    fn write_out(
        &mut self,
        at: At,
        function: &'a Function,
        arguments: &[Expression],
        into: Option<u8>,
    ) -> Result<Option<Value>, Mistake> {
        if arguments.len() != function.parameters.len() {
            return Err(count(at, &function.name, arguments, function.parameters.len()));
        }
        if self.depth == DEEPEST {
            let mistake = Mistake::new(at, "calls are nested too deeply");
            return Err(mistake.accepted(format!("{DEEPEST} levels")));
        }
        // A call may be of nothing, so instructions do not bound their number.
        self.written_out += 1;
        if self.written_out > MOST {
            let mistake = Mistake::new(at, "too many calls, each written out");
            return Err(mistake.accepted(MOST.to_string()));
        }
        let to = self.target(into, at)?;
        let (floor, top) = (self.floor, self.top);
        let mut bindings = Vec::new();
        for argument in arguments {
            let record = match &argument.kind {
                Term::Name(name) => self.record_named(name),
                _ => None,
            };
            bindings.push(if let Some(record) = record {
                Binding::Record(record)
            } else {
                let register = self.take(1, argument.at)?;
                let (found, kind) = self.value(argument, Some(register))?;
                self.copy(register, found)?;
                Binding::Value { register, kind }
            });
        }
        let exit = Exit::Call { to, gives: None, bare: false, jumps: Vec::new() };
        let outer = std::mem::replace(&mut self.scope, Scope::new(exit));
        for ((_, name), binding) in function.parameters.iter().zip(bindings) {
            self.scope.bind(name, binding);
        }
        self.floor = self.top;
        self.depth += 1;
        self.block(&function.body)?;
        self.depth -= 1;
        let inner = std::mem::replace(&mut self.scope, outer);
        (self.floor, self.top) = (floor, top);
        let Exit::Call { gives, bare, jumps, .. } = inner.exit else { unreachable!("as above") };
        if gives.is_some() && (bare || inner.assigned.is_some()) {
            return Err(lacks_value(function));
        }
        self.aim(jumps);
        self.stand_at(at);
        Ok(gives.map(|kind| (to, kind)))
    }

    /// The call of a method of a record; `None` if it gives no value.
    pub(crate) fn method(
        &mut self,
        at: At,
        (name, method): (&str, &str),
        arguments: &[Expression],
        into: Option<u8>,
    ) -> Result<Option<Value>, Mistake> {
        let record = self.expect_record(at, name)?;
        let Some(found) = record.methods.iter().find(|one| one.name == method) else {
            let mut known: Vec<String> =
                record.methods.iter().map(|one| format!("{}(…)", one.name)).collect();
            known.extend(fields(record).into_iter().map(str::to_owned));
            let mistake = Mistake::new(at, format!("{name} has no such method")).found(method);
            return Err(mistake.accepted(known.join(", ")));
        };
        if arguments.len() != found.wants.len() {
            return Err(count(at, &format!("{name}.{method}"), arguments, found.wants.len()));
        }
        let to = self.target(into, at)?;
        let values = found.wants.iter().filter(|one| matches!(one, Wanted::Value(_))).count();
        let first = self.take(values, at)?;
        let mut next = first;
        for (argument, wanted) in arguments.iter().zip(found.wants) {
            match wanted {
                Wanted::Record(wanted) => self.expect_argument(argument, wanted)?,
                Wanted::Value(wanted) => {
                    let (register, kind) = self.value(argument, Some(next))?;
                    expect(argument.at, kind, *wanted)?;
                    self.copy(next, register)?;
                    next += 1;
                }
            }
        }
        self.stand_at(at);
        self.emit(Instruction::Call { to, method: found.number, at: first })?;
        Ok(found.gives.map(|kind| (to, kind)))
    }

    fn expect_argument(&self, argument: &Expression, wanted: &str) -> Result<(), Mistake> {
        let found = match &argument.kind {
            Term::Name(name) => self.record_named(name),
            _ => None,
        };
        if found.is_some_and(|record| record.name == wanted) {
            return Ok(());
        }
        let accepted = format!("what a hook is called with: {wanted}");
        Err(Mistake::new(argument.at, "wrong argument").accepted(accepted))
    }
}

fn count(at: At, name: &str, arguments: &[Expression], wanted: usize) -> Mistake {
    let mistake = Mistake::new(at, format!("wrong number of arguments of {name}"));
    mistake.found(arguments.len().to_string()).accepted(wanted.to_string())
}

fn lacks_value(function: &Function) -> Mistake {
    let problem = format!("{} does not return a value on every way", function.name);
    Mistake::new(function.at, problem).accepted("a return with a value at each end")
}
