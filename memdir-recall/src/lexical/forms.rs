//! English words whose forms share no stem (`ran` is a form of `run`), and those that are spelled in
//! two ways (`colour`, `serialise`).

use std::collections::HashMap;
use std::sync::LazyLock;

use rust_stemmers::{Algorithm, Stemmer};

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
    wives, withdraw withdrew withdrawn, withhold withheld, withstand withstood, wolf \
    wolves, woman women, wring wrung, write wrote written";

/// Words as they are spelled in Britain and in America, as far as the endings of [`IZE`] do not say it.
const SPELLINGS: &str = "\
    aluminium aluminum, analogue analog, analyse analyze, armour armor, artefact artifact, \
    behaviour behavior, catalogue catalog, centre center, colour color, cosy cozy, defence \
    defense, dialogue dialog, disc disk, endeavour endeavor, favour favor, favourite \
    favorite, fibre fiber, flavour flavor, grey gray, harbour harbor, honour \
    honor, humour humor, judgement judgment, kilometre kilometer, labour labor, licence license, \
    litre liter, manoeuvre maneuver, metre meter, millimetre millimeter, mould mold, moustache \
    mustache, neighbour neighbor, odour odor, offence offense, paralyse paralyze, plough plow, \
    practise practice, pretence pretense, pyjamas pajamas, rigour rigor, rumour rumor, sceptic \
    skeptic, theatre theater, tumour tumor, vapour vapor, vigour vigor";

/// What `ise` and `ize` stand behind.
const IZE: &str = "\
    anonym apolog author capital categor central character commercial container critic custom \
    deserial digit emphas equal external familiar final formal general global immun initial internal \
    international item jeopard legal local maxim memor minim mobil modern modular neutral normal \
    optim organ parallel parameter patron personal polar priorit public random rational real recogn \
    reinitial reorgan resynchron sanit scrutin serial social special stabil standard subsid summar \
    symbol sympath synchron synthes token trivial util vandal vector virtual visual";

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

/// Stems of the spelling of Britain, and those of America.
static AMERICAN: LazyLock<HashMap<String, String>> = LazyLock::new(|| {
    let english = Stemmer::create(Algorithm::English);
    let stem = |word: &str| english.stem(word).into_owned();
    let words = SPELLINGS
        .split(", ")
        .filter_map(|pair| pair.split_once(' '));
    let words = words.map(|(british, american)| (stem(british), stem(american)));
    let endings = IZE.split(' ').map(|head| {
        let [british, american] = ["ise", "ize"].map(|ending| stem(&(head.to_owned() + ending)));
        (british, american)
    });
    words.chain(endings).collect()
});

/// The stem that stands for both spellings of a word, if it is not this one.
pub(super) fn american(stem: &str) -> Option<&'static str> {
    AMERICAN.get(stem).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::super::stems::Stems;
    use super::super::stop::is_english;
    use super::*;

    #[test]
    fn both_spellings_have_one_stem() {
        assert!(SPELLINGS.split(", ").is_sorted_by(|a, b| a < b));
        assert!(IZE.split(' ').is_sorted_by(|a, b| a < b));
        let stems = Stems::new();
        for (one, other) in [
            ("colours", "colored"),
            ("serialised", "serializing"),
            ("initialisation", "initialize"),
            ("organisations", "organization"),
            ("synchronise", "synchronization"),
            ("neighbouring", "neighbors"),
            ("cancelled", "canceled"),
            ("modelling", "modeling"),
            ("analysed", "analyzing"),
            ("rewritten", "rewrite"),
            ("practises", "practice"),
        ] {
            assert_eq!(stems.stem(one), stems.stem(other));
        }
        // One step is enough, and each says something.
        assert_eq!(
            AMERICAN.len(),
            SPELLINGS.split(", ").count() + IZE.split(' ').count()
        );
        for (british, american) in &*AMERICAN {
            assert!(
                british != american && !AMERICAN.contains_key(american),
                "{british}"
            );
        }
    }

    #[test]
    fn the_table_is_sorted_and_no_form_has_two_bases() {
        let groups = FORMS.split(", ");
        assert!(groups.clone().is_sorted_by(|a, b| a < b));
        let forms = groups.flat_map(|group| group.split(' ').skip(1));
        // As the README says.
        assert_eq!([forms.clone().count(), BASES.len()], [210, 210]);
        // A stop word is left out before it could be known for one.
        assert!(forms.clone().all(|form| !is_english(form)));
        // No base is a form itself, or one step would not do.
        assert!(BASES.values().all(|of| base(of).is_none()));
        assert_eq!([base("ran"), base("left")], [Some("run"), None]);
    }
}
