//! English words whose forms share no stem: `ran` is a form of `run`.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Base forms, each with its irregular ones.
///
/// Left out are forms that more often are another word, above all in texts about software: `left`,
/// `saw`, `bound`, `ground`, `wound`, `led`, `lay`, `bore`, `bit`, `rose`, `dove`, `lives`, `leaves`,
/// `axes`, `people`, `data`, `media`.
const FORMS: &str = "\
    analysis analyses, arise arose arisen, awake awoke awoken, bear borne, beat beaten, become became, \
    begin began begun, bend bent, bite bitten, bleed bled, blow blew blown, break broke broken, \
    breed bred, bring brought, build built, burn burnt, buy bought, catch caught, child children, \
    choose chose chosen, cling clung, come came, creep crept, criterion criteria, deal dealt, dig \
    dug, draw drew drawn, dream dreamt, drink drank drunk, drive drove driven, eat ate eaten, fall \
    fell fallen, feed fed, feel felt, fight fought, find found, flee fled, fling flung, fly flew \
    flown, foot feet, forbid forbade forbidden, foresee foresaw foreseen, forget forgot forgotten, \
    forgive forgave forgiven, freeze froze frozen, get got gotten, give gave given, go went gone, \
    goose geese, grow grew grown, half halves, hang hung, hear heard, hide hid hidden, hold held, \
    index indices, keep kept, kneel knelt, knife knives, know knew known, lean leant, learn learnt, \
    lend lent, lie lain, light lit, loaf loaves, lose lost, make made, man men, matrix matrices, \
    mean meant, meet met, mislead misled, mistake mistook mistaken, misunderstand misunderstood, \
    mouse mice, overcome overcame, override overrode overridden, overtake overtook overtaken, \
    overwrite overwrote overwritten, pay paid, phenomenon phenomena, prove proven, rebuild rebuilt, \
    redo redid redone, redraw redrew redrawn, repay repaid, rethink rethought, rewrite rewrote \
    rewritten, ride rode ridden, ring rang rung, rise risen, run ran, say said, see seen, seek \
    sought, sell sold, send sent, shake shook shaken, shelf shelves, shine shone, shoot shot, show \
    shown, shrink shrank shrunk, sing sang sung, sink sank sunk, sit sat, sleep slept, slide slid, \
    smell smelt, speak spoke spoken, speed sped, spell spelt, spend spent, spill spilt, spin spun, \
    spoil spoilt, spring sprang sprung, stand stood, steal stole stolen, stick stuck, sting stung, \
    strike struck stricken, string strung, strive strove striven, swear swore sworn, sweep swept, \
    swell swollen, swim swam swum, swing swung, take took taken, teach taught, tear tore torn, tell \
    told, thief thieves, think thought, throw threw thrown, tooth teeth, undergo underwent \
    undergone, understand understood, undertake undertook undertaken, undo undid undone, uphold \
    upheld, vertex vertices, wake woke woken, wear wore worn, weave wove woven, weep wept, wife \
    wives, win won, withdraw withdrew withdrawn, withhold withheld, withstand withstood, wolf \
    wolves, woman women, wring wrung, write wrote written";

static BASES: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    let mut bases = HashMap::new();
    for group in FORMS.split(", ") {
        if let Some((base, forms)) = group.split_once(' ') {
            bases.extend(forms.split(' ').map(|form| (form, base)));
        }
    }
    bases
});

/// The base form of an irregular one.
pub(super) fn base(word: &str) -> Option<&'static str> {
    BASES.get(word).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_no_form_has_two_bases() {
        let groups = FORMS.split(", ");
        assert!(groups.clone().is_sorted_by(|a, b| a < b));
        let forms = groups.flat_map(|group| group.split(' ').skip(1));
        assert_eq!(forms.count(), BASES.len());
        // No base is a form itself, or one step would not do.
        assert!(BASES.values().all(|of| base(of).is_none()));
        assert_eq!([base("ran"), base("left")], [Some("run"), None]);
    }
}
