//! What a term contributes to a memory that holds it.

use super::gather::Doc;
use super::index::Index;

/// How soon a word that is repeated in name and description says nothing new, as BM25's `k1`: 1.2,
/// the customary value.
const HEADER_SATURATION: f32 = 1.2;

/// The same for the body: 2.5, so that a word says less that is mentioned there once. Measured over
/// 22 sets of texts.
const BODY_SATURATION: f32 = 2.5;

/// What a term can contribute at most, in units of its inverse document frequency: 2.2, the
/// customary value.
pub(super) const MAX_GAIN: f32 = 2.2;

/// How much the length of name, description and body tells: a long body repeats words for no
/// reason, a long name hardly does.
const LENGTH_WEIGHTS: [f32; 3] = [0.3, 0.5, 0.75];

/// How often a term stands in a memory, and in which of its fields.
#[derive(Clone, Copy)]
pub(super) struct Counts {
    name_ends: u32,
    description_ends: u32,
    pub(super) times: u32,
    in_name: u32,
    /// In name or description.
    in_header: u32,
}

impl Counts {
    #[inline]
    pub(super) fn of(doc: Doc, places: impl IntoIterator<Item = u32>) -> Counts {
        let [name_ends, description_ends] = doc.ends();
        let mut counts = Counts {
            name_ends,
            description_ends,
            times: 0,
            in_name: 0,
            in_header: 0,
        };
        for place in places {
            counts.add(place);
        }
        counts
    }

    #[inline]
    pub(super) fn add(&mut self, place: u32) {
        self.times += 1;
        self.in_name += u32::from(place < self.name_ends);
        self.in_header += u32::from(place < self.description_ends);
    }
}

impl Index {
    /// What a term contributes to a memory that holds it so often: BM25F over name and description,
    /// BM25 over the body, and together as if either could tell without the other.
    #[inline]
    #[expect(
        clippy::cast_precision_loss,
        reason = "no text that is read has 16 million words"
    )]
    pub(super) fn gain(&self, doc: Doc, counts: Counts) -> f32 {
        // This is most of the work of a query, so nothing here is stored and read again.
        let words = doc.words();
        let length = |field: usize| {
            let b = LENGTH_WEIGHTS[field];
            1.0 - b + b * f32::from(words[field]) * self.per_mean[field]
        };
        // What is missing of the most, as a fraction, so that it takes one division.
        let (mut missing, mut all) = (1.0, 1.0);
        let in_body = counts.times - counts.in_header;
        if in_body > 0 {
            missing = BODY_SATURATION * length(2);
            all = missing + in_body as f32;
        }
        if counts.in_header > 0 {
            let (a, b) = (length(0), length(1));
            let in_name = counts.in_name as f32;
            let in_description = (counts.in_header - counts.in_name) as f32;
            let without = HEADER_SATURATION * a * b;
            missing *= without;
            all *= without + in_name * b + in_description * a;
        }
        MAX_GAIN * (1.0 - missing / all)
    }
}
