//! iSLIP as it is told: tables of what is asked, granted and accepted, gone through port by port.

use super::Pair;

pub(super) struct Twin {
    iterations: u32,
    grant: Vec<usize>,
    accept: Vec<usize>,
}

impl Twin {
    pub(super) fn new(iterations: u32, (inputs, outputs): (u32, u32)) -> Self {
        let (inputs, outputs) = (inputs as usize, outputs as usize);
        Self { iterations, grant: vec![0; outputs], accept: vec![0; inputs] }
    }

    pub(super) fn slot(&mut self, asked: &[Pair]) -> Vec<Pair> {
        let (inputs, outputs) = (self.accept.len(), self.grant.len());
        let mut asks = vec![vec![false; outputs]; inputs];
        for &(input, output) in asked {
            asks[input as usize][output as usize] = true;
        }
        let mut output_of = vec![None; inputs];
        let mut input_of = vec![None; outputs];
        for iteration in 0..self.iterations {
            // Step 1, request: each unmatched input asks all outputs for which it has a cell. Step 2,
            // grant: each unmatched output chooses the first from its pointer on.
            let free = |input: &usize| output_of[*input].is_none();
            let granted: Vec<Option<usize>> = (0..outputs)
                .map(|output| {
                    let asking = |&input: &usize| asks[input][output] && free(&input);
                    let mut turn = (0..inputs).map(|step| (self.grant[output] + step) % inputs);
                    turn.find(asking).filter(|_| input_of[output].is_none())
                })
                .collect();
            // Step 3, accept: each input that was granted chooses the first from its pointer on.
            for (input, taken) in output_of.iter_mut().enumerate() {
                let mut turn = (0..outputs).map(|step| (self.accept[input] + step) % outputs);
                if let Some(output) = turn.find(|&output| granted[output] == Some(input)) {
                    (*taken, input_of[output]) = (Some(output), Some(input));
                    if iteration == 0 {
                        self.grant[output] = (input + 1) % inputs;
                        self.accept[input] = (output + 1) % outputs;
                    }
                }
            }
        }
        let pair = |(input, output): (u32, Option<usize>)| {
            output.map(|output| (input, u32::try_from(output).unwrap()))
        };
        (0..).zip(output_of).filter_map(pair).collect()
    }
}
