//! What models say in place of a summary, in the languages that they say it in most.
//!
//! Everything is in lower case, with straight apostrophes and without marks around it.

/// Phrases, parted by `|`.
pub(super) struct Phrases(&'static str);

impl Phrases {
    pub(super) fn iter(&self) -> impl Iterator<Item = &'static str> {
        self.0.split('|')
    }

    pub(super) fn any(&self, test: impl Fn(&str) -> bool) -> bool {
        self.iter().any(test)
    }

    pub(super) fn contains(&self, phrase: &str) -> bool {
        self.any(|known| known == phrase)
    }
}

/// Words that say nothing of a conversation, however they stand together: `no summary available`.
pub(super) const EMPTY: Phrases = Phrases(
    "n/a|na|none|nothing|nil|null|undefined|nan|empty|blank|no|not|applicable|available|\
     unavailable|provided|content|contents|summary|summaries|conversation|context|text|data|\
     information|info|input|output|message|messages|given|needed|required|found|yet|to|summarize|\
     summarise|report|add|here|there|is|are|was|were|the|of|your|insert|goes|placeholder|tbd|\
     todo|tba|at|this|time|prior|previous|user|unknown|unspecified|missing|specified|so|far|kein|\
     keine|keiner|keines|nichts|leer|inhalt|inhalte|zusammenfassung|gespräch|verfügbar|vorhanden|\
     möglich|angabe|angaben|zu|zusammenzufassen|entfällt|unbekannt|nicht|zutreffend|aucun|aucune|\
     rien|néant|vide|contenu|résumé|disponible|résumer|pas|de|sans|objet|à|ninguno|ninguna|nada|\
     vacío|sin|contenido|resumen|que|resumir|hay|aplica|nenhum|nenhuma|vazio|sem|conteúdo|resumo|\
     disponível|nessuno|nessuna|niente|nulla|vuoto|contenuto|riassunto|disponibile|riassumere|da|\
     нет|ничего|пусто|содержания|резюме|данных|недоступно",
);

/// The same where words are not parted by spaces: what is left without these says nothing.
pub(super) const EMPTY_PIECES: Phrases = Phrases(
    "暂无|没有|沒有|可总结的|可供总结的|可供|总结|摘要|内容|對話|对话|任何|可用|提供|空白|无|無|\
     空|的|可|特になし|該当なし|なし|無し|要約できる|要約する|要約|会話|ありません|が|は|の|です|\
     없음|없습니다|요약할|요약|내용이|내용|대화|해당",
);

/// Words that only say that somebody listens.
pub(super) const HEARD: Phrases = Phrases(
    "ok|okay|yes|no|done|sure|understood|acknowledged|noted|got|it|great|perfect|thanks|thank|\
     you|ready|continue|continuing|proceeding|alright|certainly|absolutely|hello|hi|confirmed|\
     roger|good|sounds|verstanden|klar|alles|gut|danke|ja|nein|fertig|weiter|gerne|d'accord|\
     compris|entendu|oui|merci|parfait|terminé|fait|bien|entendido|vale|listo|hecho|sí|gracias|\
     perfecto|claro|acuerdo|de|va|bene|capito|fatto|certo|entendi|feito|pronto|понятно|хорошо|\
     готово|да",
);

/// Words that a sentence may begin with, or be, before it says what it says. A mark follows them.
pub(super) const LEADS: Phrases = Phrases(
    "ok|okay|sure|sure thing|of course|certainly|absolutely|great|understood|got it|alright|\
     all right|yes|no problem|hello|hi|hey|thanks|thank you|well|as requested|sounds good|\
     perfect|i understand|verstanden|alles klar|natürlich|gerne|klar|sicher|hallo|danke|gut|\
     d'accord|bien sûr|compris|entendu|très bien|parfait|bonjour|merci|entendido|de acuerdo|\
     claro|por supuesto|vale|perfecto|hola|gracias|certo|va bene|capito|ciao|entendi|\
     claro que sim|olá|хорошо|понятно|好的|好|明白了|明白|收到|了解|当然|当然可以|没问题|您好|\
     你好|承知しました|了解しました|了解です|かしこまりました|わかりました|はい|もちろん|\
     もちろんです|네|알겠습니다",
);

/// Words that excuse what follows. Nothing has to part them from it.
pub(super) const SORRY: Phrases = Phrases(
    "i'm sorry|i am sorry|i'm really sorry|i'm very sorry|i'm so sorry|sorry|i apologize|\
     i apologise|my apologies|apologies|as an ai language model|as an ai assistant|as an ai|\
     as a language model|es tut mir sehr leid|es tut mir leid|tut mir leid|entschuldigung|\
     je suis vraiment désolé|je suis désolé|je suis désolée|désolé|désolée|lo siento mucho|\
     lo siento|lo lamento|disculpa|mi dispiace|desculpe|sinto muito|lamento|извините|простите|\
     прошу прощения|非常抱歉|很抱歉|抱歉|对不起|不好意思|申し訳ありませんが|申し訳ございませんが|\
     申し訳ありません|申し訳ございません|すみませんが|すみません|ごめんなさい|恐れ入りますが|\
     죄송하지만|죄송합니다만|죄송합니다",
);

/// The same for words of regret: what cannot be done, alas, may be part of a summary.
pub(super) const ALAS: Phrases = Phrases(
    "unfortunately|regrettably|i'm afraid|i am afraid|leider|malheureusement|lamentablemente|\
     desafortunadamente|purtroppo|infelizmente|к сожалению|残念ながら",
);

/// Words between an excuse and what it is for.
pub(super) const THEN: Phrases =
    Phrases("but|however|and|that|aber|mais|pero|ma|mas|но|但是|但|好的");

/// Beginnings of a refusal.
pub(super) const REFUSES: Phrases = Phrases(
    "i must decline|i have to decline|i need to decline|i will decline|i'll decline|i decline to|\
     i refuse to|i'm not comfortable|i am not comfortable|i don't feel comfortable|\
     i do not feel comfortable|this request violates|your request violates|this violates|\
     ich muss das ablehnen|ich muss ablehnen|je dois refuser|je dois décliner|debo rechazar|\
     debo declinar",
);

/// Who cannot do something, at the beginning of a sentence; in other tenses it tells of the past.
pub(super) const CANNOT: Phrases = Phrases(
    "i can't|i cannot|i can not|i could not possibly|i'm unable to|i am unable to|\
     i'm not able to|i am not able to|i won't|i will not|i'm not going to|unable to|\
     i'm not in a position to|i don't think i can|cannot|can't|not able to|we cannot|we can't|\
     i am not allowed to|i'm not allowed to|i am not permitted to|je ne peux pas|je ne peux|\
     je ne suis pas en mesure|je ne suis pas capable|je ne pourrai pas|il m'est impossible|\
     il ne m'est pas possible|impossible de|no puedo|no podré|no me es posible|no soy capaz de|\
     no estoy en condiciones de|no es posible|non posso|non sono in grado|non mi è possibile|\
     não posso|não consigo|não sou capaz|я не могу|не могу|не смогу|я не смогу",
);

/// The same in German, where the no stands behind.
pub(super) const CANNOT_GERMAN: Phrases = Phrases(
    "ich kann|ich darf|ich werde|ich möchte|ich bin|das kann ich|das darf ich|dabei kann ich|\
     damit kann ich|hierbei kann ich|dazu kann ich|kann ich|bin ich|diese anfrage kann ich|\
     dieses gespräch kann ich",
);

/// The no.
pub(super) const GERMAN_NO: Phrases = Phrases("nicht|kein|keine|keinen");

/// What cannot be done, by the beginning of a word, close behind.
pub(super) const DEEDS: Phrases = Phrases(
    "help|assist|summar|comply|fulfill|fulfil|participat|engag|helfen|weiterhelfen|\
     zusammenfassen|zusammenzufassen|zusammenfassung|unterstützen|behilflich|nachkommen|aider|\
     résum|répondre à|assister|donner suite|ayudar|resum|cumplir|asistir|atender|aiut|riassum|\
     soddisf|ajud|помочь|помогать|обобщ|резюм|суммир|подвести итог",
);

/// Deeds that are refusals only with what they are about.
pub(super) const WEAK_DEEDS: Phrases = Phrases(
    "provid|continu|creat|generat|produc|complet|respond|answer|process|do|discuss|proceed|writ|\
     give|offer|carry|fortfahren|tun|erstellen|geben|liefern|bereitstellen|beantworten|erfüllen|\
     fournir|continuer|répondre|faire|créer|générer|proporcion|hacer|realiz|gener|cre|ofrec|forn|\
     rispond|fare|fazer|предостав|ответ|выполн|продолж",
);

/// What they are about.
pub(super) const ABOUT: Phrases = Phrases(
    "summar|conversation|request|zusammenfassung|gespräch|anfrage|résumé|demande|resumen|\
     conversaci|solicitud|riassunto|richiest|resumo|conversa|pedido|резюме|запрос|разговор|просьб",
);

/// The same as the last word of a sentence: `I can't do that`.
pub(super) const THAT: Phrases =
    Phrases("that|this|so|das|dies|cela|ça|eso|esto|questo|isso|этого|это");

/// Beginnings of what goes on with the conversation, or asks what to do.
pub(super) const GOES_ON: Phrases = Phrases(
    "let me|i'll|i will|i'm going to|i am going to|i can help|i can certainly|how can i|\
     how may i|how could i|what would you|what can i|what should i|what do you|would you like|\
     do you want|shall i|should i|please provide|please share|please tell|please let me|\
     please paste|could you|can you|i'd be happy|i would be happy|i'm happy|i am happy|happy to|\
     feel free|is there anything|if you have|if you'd like|if you would like|if there is|\
     continuing|proceeding|moving on|i'm ready|i am ready|ready to|thank you for|thanks for|\
     now i'll|now let me|next, i'll|here's what i'll do|ich mache|ich werde|ich fahre|ich setze|\
     ich arbeite|lass mich|lassen sie mich|wie kann ich|was möchtest|was möchten|was soll ich|\
     was kann ich|womit kann ich|möchtest du|möchten sie|soll ich|bitte gib|bitte teile|\
     bitte geben sie|weiter mit|je continue|je vais|je poursuis|je reprends|laissez-moi|\
     laisse-moi|que souhaitez|que souhaites|que voulez|comment puis-je|en quoi puis-je|\
     voulez-vous|souhaitez-vous|dois-je|veuillez|voy a|continuaré|continúo|sigo con|seguiré|\
     déjame|permíteme|qué te|qué quieres|qué desea|en qué puedo|cómo puedo|quieres que|desea que|\
     por favor|continuo|continuerò|come posso|cosa posso|vou continuar|como posso|o que você|\
     я продолжу|я продолжаю|продолжаю|чем я могу|чем могу|что вы|我继续|我会继续|我将|我来|\
     我这就|让我|接下来我|请问|请提供|请告诉|您需要|需要我|有什么可以|我可以帮|我会|どのように|\
     何を|何か|무엇을 도와|어떻게 도와",
);

/// Ends of the same.
pub(super) const GOES_ON_ENDS: Phrases = Phrases(
    "続けます|続行します|進めます|始めます|お手伝いしましょうか|お知らせください|教えてください|\
     しましょうか|계속하겠습니다",
);

/// Beginnings of what denies that there is a conversation.
pub(super) const DENIES: Phrases = Phrases(
    "there is nothing to|there's nothing to|there is no conversation|there are no messages|\
     there is no prior|there is no previous|no conversation to|no conversation was|\
     no messages to|the conversation is empty|the conversation appears to be empty|\
     this conversation is empty|i don't see a|i don't see any|i do not see any|\
     i don't have access to previous|i don't have access to earlier|i don't have access to the|\
     i don't have access to our|i do not have access to|i have no memory|i have no access to|\
     i don't have any memory|i don't have a|it looks like you haven't|it looks like there is no|\
     it seems there is no|it seems you haven't|you haven't|es gibt nichts zu|\
     es gibt kein gespräch|il n'y a rien à|no hay nada que|no hay ninguna conversación|\
     non c'è nulla da|não há nada",
);

/// What can be seen where a conversation is denied.
pub(super) const DENIED: Phrases = Phrases(
    "conversation|conversations|messages|summarize|summarise|memory|chat|history|\
     zusammenzufassen|zusammenfassen|gespräch|résumer|resumir|conversación|riassumere|empty|\
     shared|provided",
);

/// Who cannot, in languages without spaces.
pub(super) const CANNOT_CJK: Phrases = Phrases(
    "无法|無法|不能|不便|不可以|できません|できかねます|いたしかねます|致しかねます|\
     応えられません|할 수 없|수 없습니다|못합니다",
);

/// What, close to it.
pub(super) const DEEDS_CJK: Phrases = Phrases(
    "总结|概括|帮助|帮您|帮你|协助|满足|提供摘要|提供该|提供这|提供总结|生成摘要|完成这个请求|\
     完成该请求|完成此请求|处理此请求|处理这个请求|处理该请求|回答这个|继续这段|要約|お手伝い|\
     お応え|お答え|協力|対応|요약|도와|도움|제공",
);

/// What a service says in place of an answer.
pub(super) const FAULTS: Phrases = Phrases(
    "api error|internal server error|error: internal server error|request timed out|\
     error: request timed out|rate limit exceeded|error: rate limit|prompt is too long|\
     overloaded|overloaded_error|service unavailable|503 service unavailable|502 bad gateway|\
     bad gateway|gateway timeout|504 gateway|invalid api key|credit balance is too low|\
     too many requests|429 too many requests",
);
