//! What a program is compiled to: instructions on numbered registers of 64 bits.

/// An instruction. `to` is the register of the result, or where a jump leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Instruction {
    Copy {
        to: u8,
        a: u8,
    },
    Add {
        to: u8,
        a: u8,
        b: u8,
    },
    Subtract {
        to: u8,
        a: u8,
        b: u8,
    },
    Multiply {
        to: u8,
        a: u8,
        b: u8,
    },
    Divide {
        to: u8,
        a: u8,
        b: u8,
    },
    Quotient {
        to: u8,
        a: u8,
        b: u8,
    },
    Remainder {
        to: u8,
        a: u8,
        b: u8,
    },
    Power {
        to: u8,
        a: u8,
        b: u8,
    },
    Least {
        to: u8,
        a: u8,
        b: u8,
    },
    Most {
        to: u8,
        a: u8,
        b: u8,
    },
    Apply {
        to: u8,
        function: Function,
        a: u8,
    },
    /// Seconds from the instant b to the instant a; zero if b is later.
    Since {
        to: u8,
        a: u8,
        b: u8,
    },
    /// The instant that many seconds after another.
    Later {
        to: u8,
        a: u8,
        b: u8,
    },
    /// The earlier and the later of two instants.
    Earliest {
        to: u8,
        a: u8,
        b: u8,
    },
    Latest {
        to: u8,
        a: u8,
        b: u8,
    },
    /// An item of an array.
    Load {
        to: u8,
        array: u8,
        index: u8,
    },
    Store {
        array: u8,
        index: u8,
        a: u8,
    },
    /// Gives an array its length and the value of its items.
    Allocate {
        array: u8,
        length: u8,
        a: u8,
    },
    /// A method of the host, with arguments from `at` on; the result is in `to`.
    Call {
        to: u8,
        method: u8,
        at: u8,
    },
    /// Forwards.
    Jump {
        to: u16,
    },
    /// Backwards.
    Loop {
        to: u16,
    },
    JumpIf {
        a: u8,
        to: u16,
    },
    JumpUnless {
        a: u8,
        to: u16,
    },
    Compare {
        how: Test,
        a: u8,
        b: u8,
        to: u16,
    },
    /// Ends the hook, with the value of a register.
    Return {
        a: u8,
    },
    End,
}

/// When a comparison jumps. A negated one is not the opposite one where a value is not a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Test {
    Less,
    NotLess,
    LessOrEqual,
    NotLessOrEqual,
    Equal,
    NotEqual,
    /// Instants, words and truths are compared as whole numbers.
    WholeLess,
    WholeNotLess,
    WholeLessOrEqual,
    WholeNotLessOrEqual,
    WholeEqual,
    WholeNotEqual,
}

impl Test {
    /// What is true where this is false.
    pub(crate) fn negated(self) -> Self {
        match self {
            Self::Less => Self::NotLess,
            Self::NotLess => Self::Less,
            Self::LessOrEqual => Self::NotLessOrEqual,
            Self::NotLessOrEqual => Self::LessOrEqual,
            Self::Equal => Self::NotEqual,
            Self::NotEqual => Self::Equal,
            Self::WholeLess => Self::WholeNotLess,
            Self::WholeNotLess => Self::WholeLess,
            Self::WholeLessOrEqual => Self::WholeNotLessOrEqual,
            Self::WholeNotLessOrEqual => Self::WholeLessOrEqual,
            Self::WholeEqual => Self::WholeNotEqual,
            Self::WholeNotEqual => Self::WholeEqual,
        }
    }

    /// The same of whole numbers.
    pub(crate) fn of_whole(self) -> Self {
        match self {
            Self::Less => Self::WholeLess,
            Self::LessOrEqual => Self::WholeLessOrEqual,
            Self::Equal => Self::WholeEqual,
            Self::NotEqual => Self::WholeNotEqual,
            other => other,
        }
    }
}

/// A function of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Function {
    Negative,
    Absolute,
    Floor,
    Ceiling,
    SquareRoot,
    CubeRoot,
    Exponential,
    Logarithm,
    BinaryLogarithm,
}

impl Function {
    /// Those that a program calls by their names.
    pub(crate) const NAMED: [(&'static str, Self); 8] = [
        ("abs", Self::Absolute),
        ("floor", Self::Floor),
        ("ceil", Self::Ceiling),
        ("sqrt", Self::SquareRoot),
        ("cbrt", Self::CubeRoot),
        ("exp", Self::Exponential),
        ("log", Self::Logarithm),
        ("log2", Self::BinaryLogarithm),
    ];

    /// Its value, the same on every machine.
    pub(crate) fn of(self, number: f64) -> f64 {
        match self {
            Self::Negative => -number,
            Self::Absolute => number.abs(),
            Self::Floor => number.floor(),
            Self::Ceiling => number.ceil(),
            Self::SquareRoot => libm::sqrt(number),
            Self::CubeRoot => libm::cbrt(number),
            Self::Exponential => libm::exp(number),
            Self::Logarithm => libm::log(number),
            Self::BinaryLogarithm => libm::log2(number),
        }
    }
}
