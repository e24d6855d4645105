//! What a program sees of its surroundings.

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// A number, `f64`.
    Number,
    /// True or false.
    Truth,
    /// An instant, in picoseconds. The difference of two is a number of seconds.
    Time,
    /// One of the words of the interface, such as the signal of a loss.
    Word,
}

impl Type {
    /// Its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Number => "a number",
            Self::Truth => "True or False",
            Self::Time => "an instant",
            Self::Word => "a word",
        }
    }
}

/// A field of a record.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub kind: Type,
    /// The method that a program calls by an assignment to the field, if it may assign.
    pub assign: Option<u8>,
}

impl Field {
    /// A field that can only be read.
    pub const fn read(name: &'static str, kind: Type) -> Self {
        Self { name, kind, assign: None }
    }
}

/// What a method wants.
#[derive(Clone, Copy, Debug)]
pub enum Wanted {
    /// A value.
    Value(Type),
    /// The record of this name, which a hook was called with.
    Record(&'static str),
}

/// A method of a record.
#[derive(Clone, Copy, Debug)]
pub struct Method {
    /// Its name.
    pub name: &'static str,
    /// Its arguments; records are not passed, the host knows them.
    pub wants: &'static [Wanted],
    /// The type of its result.
    pub gives: Option<Type>,
    /// Its number, for the host.
    pub number: u8,
}

/// A record: fields that lie beside each other in the registers, in their order.
#[derive(Debug)]
pub struct Record {
    /// Its name.
    pub name: &'static str,
    /// Its fields.
    pub fields: &'static [Field],
    /// Its methods.
    pub methods: &'static [Method],
}

/// A function that a program may have, and the engine calls.
#[derive(Debug)]
pub struct Hook {
    /// Its name.
    pub name: &'static str,
    /// The record that it is called with.
    pub takes: Option<&'static Record>,
    /// The type of its result.
    pub gives: Option<Type>,
}

/// A word with a meaning.
#[derive(Clone, Copy, Debug)]
pub struct Constant {
    /// The word.
    pub name: &'static str,
    /// Its type.
    pub kind: Type,
    /// Its bits.
    pub bits: u64,
}

/// Everything that a program of one kind sees. The registers begin with the fields of `standing` records,
/// then those of the hooks' records, each once, in the order of the hooks.
#[derive(Debug)]
pub struct Interface {
    /// Records that are always there, by their names.
    pub standing: &'static [Record],
    /// The hooks.
    pub hooks: &'static [Hook],
    /// Words.
    pub constants: &'static [Constant],
    /// What a program may declare by calling it outside of functions.
    pub declarations: &'static [&'static str],
    /// The record by which a hook sees the program's own state as it was: it has each variable as a field,
    /// too.
    pub earlier: Option<&'static str>,
}

impl Interface {
    /// The records in the order of their registers.
    pub(crate) fn records(&self) -> Vec<&'static Record> {
        let mut found: Vec<&'static Record> = self.standing.iter().collect();
        for record in self.hooks.iter().filter_map(|hook| hook.takes) {
            if !found.iter().any(|one| one.name == record.name) {
                found.push(record);
            }
        }
        found
    }

    /// The register of the first field of a record.
    pub fn place(&self, name: &str) -> usize {
        let before = self.records().into_iter().take_while(|record| record.name != name);
        before.map(|record| record.fields.len()).sum()
    }
}

/// What carries out the methods of an interface.
pub trait Host {
    /// Calls a method. Its arguments are in the registers from `at` on; returns the bits of its result (any
    /// if it has none), or what is wrong.
    fn call(&mut self, method: u8, registers: &mut [u64], at: usize) -> Result<u64, String>;
}
