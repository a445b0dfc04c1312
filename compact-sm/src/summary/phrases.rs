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
    "error|redacted|next|assistant|human|n/a|na|none|nothing|nil|null|undefined|nan|empty|blank|no|not|applicable|available|\
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
    "goodbye|bye|welcome|ok|okay|yes|no|done|sure|understood|acknowledged|noted|got|it|great|\
     perfect|thanks|thank|you|ready|continue|continuing|proceeding|alright|certainly|absolutely|\
     hello|hi|confirmed|roger|good|sounds|verstanden|klar|alles|gut|danke|ja|nein|fertig|weiter|\
     gerne|d'accord|compris|entendu|oui|merci|parfait|terminé|fait|bien|entendido|vale|listo|\
     hecho|sí|gracias|perfecto|claro|acuerdo|de|va|bene|capito|fatto|certo|entendi|feito|pronto|\
     понятно|хорошо|готово|да",
);

/// Words that a sentence may begin with, or be, before it says what it says. A mark follows them.
pub(super) const LEADS: Phrases = Phrases(
    "all set|will do|on it|summary|zusammenfassung|résumé|resumen|ok|okay|sure|sure thing|of course|certainly|absolutely|great|understood|got it|alright|\
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
     laisse-moi|que souhaitez-vous|que souhaitez|que souhaites|que voulez-vous|que voulez|comment puis-je|en quoi puis-je|\
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
     bad gateway|gateway timeout|error: 500|error: 502|error: 503|error: 429|error: 529|504 gateway|invalid api key|credit balance is too low|\
     too many requests|429 too many requests",
);

/// Words that only talk: of oneself and the other, of helping, of the summary. A sentence of two or
/// more of them and of nothing else tells nothing of a conversation. Words that tell of somebody
/// else, such as `user` and `asked`, are not among them.
pub(super) const TALK: Phrases = Phrases(
    "a|an|the|i|you|we|it|this|that|these|those|to|of|for|in|on|at|with|from|by|as|be|is|are|was|\
     were|am|been|being|do|does|did|doing|done|have|has|had|having|will|would|can|could|shall|\
     should|may|might|must|not|no|nor|or|and|but|so|if|then|than|when|while|where|what|which|who|\
     how|why|there|here|now|just|also|only|very|really|more|any|some|other|else|one|something|\
     anything|nothing|everything|me|my|your|yours|our|us|its|it's|i'm|i'll|i'd|i've|you're|you'd|\
     we're|let's|let|that's|here's|there's|isn't|aren't|don't|doesn't|didn't|can't|cannot|won't|\
     wouldn't|couldn't|shouldn't|wasn't|sorry|apologize|apologise|apologies|unfortunately|afraid|\
     appreciate|appreciated|patience|thank|thanks|welcome|please|hello|hi|goodbye|bye|day|great|\
     good|nice|wonderful|happy|glad|pleased|sure|certainly|absolutely|course|okay|ok|alright|\
     understood|understand|noted|help|helping|helpful|assist|assisting|assistance|able|unable|\
     capable|possible|impossible|appropriate|inappropriate|comfortable|prefer|rather|decline|\
     declining|refuse|allow|allowed|permitted|prevent|prevents|guidelines|guideline|policy|\
     policies|violate|violates|safety|sensitive|harmful|unsafe|content|material|topic|topics|\
     touches|subject|request|requests|requested|question|questions|answer|respond|response|reply|\
     provide|provided|providing|give|given|giving|offer|share|create|creating|generate|\
     generating|produce|summarize|summarizing|summarized|summarise|summarising|summarised|\
     summary|summaries|conversation|conversations|chat|discussion|dialogue|messages|context|\
     history|previous|prior|earlier|above|below|far|following|complete|completed|continue|\
     continuing|proceed|proceeding|start|started|begin|get|getting|go|going|move|moving|work|\
     working|task|tasks|step|steps|next|ready|wait|moment|minute|hold|think|thinking|read|\
     through|look|looking|see|know|tell|talk|about|want|need|needs|like|love|feel|free|further|\
     time|right|away|first|again|back|soon|later|today|ai|language|model|blocked|filter|filtered|\
     output|error|pass|way|much|into|out|up|okay's|comply|fulfill|participate|engage|discuss|\
     beyond|scope|instructions|ich|du|sie|wir|es|das|dies|diese|dieser|dieses|der|die|den|dem|\
     ein|eine|einen|einer|mit|von|zu|zum|zur|bei|dabei|damit|dafür|und|oder|aber|nicht|kein|\
     keine|keinen|ist|sind|war|bin|habe|hat|wird|werde|kann|können|möchte|darf|soll|muss|leider|\
     gerne|bitte|danke|hier|jetzt|nun|schon|noch|auch|nur|sehr|gut|alles|klar|helfen|\
     weiterhelfen|hilfe|behilflich|anfrage|frage|gespräch|gesprächs|zusammenfassung|\
     zusammenfassen|zusammengefasst|inhalt|inhalte|relevanten|relevante|weiter|weitermachen|\
     machen|fortfahren|bereit|nächsten|schritt|aufgabe|lage|leid|tut|mir|ihnen|dir|ihre|deine|\
     wie|je|tu|vous|nous|il|elle|ce|cette|cet|ces|cela|ça|le|la|les|un|une|des|de|à|au|aux|en|et|\
     ou|mais|ne|pas|rien|est|sont|suis|peux|peut|pouvez|puis|être|avoir|résumée|résumé|résumer|\
     demande|aider|aide|désolé|désolée|malheureusement|merci|bonjour|bien|sûr|pour|dans|avec|sur|\
     ajouter|continuer|tâche|prêt|prête|contenu|que|qui|votre|vos|mon|yo|tú|usted|el|los|las|una|\
     del|al|y|o|pero|ni|nada|son|está|estoy|soy|he|ha|puedo|puede|poder|ser|esto|esta|este|eso|\
     con|por|para|qué|te|se|mi|su|temo|ayudar|ayudarte|ayudarle|ayuda|conversación|resumen|\
     resumir|solicitud|lo|siento|gracias|claro|favor|acceso|tengo|hay|continuar|tarea|listo|\
     lista|contenido|io|non|ho|è|sono|posso|di|da|per|che|ti|ci|questo|questa|richiesta|\
     conversazione|riassunto|riassumere|riassumerla|aiutare|aiutarti|nulla|niente|dispiace|\
     purtroppo|grazie|não|eu|um|uma|em|e|mas|esse|essa|isso|pedido|conversa|resumo|ajudar|\
     ajudá-lo|atender|desculpe|tenho|obrigado|regrettably|falls|outside|due|concerns|details|\
     discussed|keep|things|respectful|generated|occurred|unexpected|try|went|wrong|significant|\
     intentionally|blank|filled|mentioned|hmm|talked|whenever|everyone|end|thema|sagen|nichts|\
     gibt|dazu|womit|anfangen|préfère|préférerais|répondre|instant|s'il|plaît|n'ai|j'ai|n'est|\
     c'est|qu'il|prefiero|hablar|responder|momento|preferisco|rispondere|autorizado|autorizada|\
     estou|daar|kan|ik|niet|mee|helpen",
);

/// The same where words are not parted by spaces, the longest first.
pub(super) const TALK_PIECES: Phrases = Phrases(
    "恐れ入りますが|お待ちください|できかねます|ございません|できません|ありません|죄송합니다|\
     하겠습니다|いたします|죄송하지만|しました|人工智能|도와드릴|お手伝い|作为一个|없습니다|\
     没有办法|语言模型|について|请稍等|요약할|申し訳|没办法|下一步|없어요|帮不了|很遗憾|不方便|\
     その件|お話し|잠시만|기다려|주세요|任务|总结|続け|可以|少々|提供|稍等|遗憾|什么|依頼|如上|\
     内容|一个|以上|完了|完成|继续|その|要約|した|这个|抱歉|この|요약|対応|です|问题|드릴|需要|\
     不能|帮忙|请求|没有|会話|任何|続き|ます|作为|する|ai|摘要|내용|もの|无法|对话|这段|계속|\
     これ|ない|已经|대화|帮助|回答|稍候|正在|处理|吗|を|是|은|要|那|已|帮|个|将|は|할|了|好|が|\
     吧|의|も|을|次|请|我|您|に|这|는|수|的|の|ご|네|呢|이|你|会|를",
);

/// Among them, those that refuse.
pub(super) const TALK_NO: Phrases = Phrases(
    "not|no|cannot|can't|won't|isn't|don't|unable|impossible|inappropriate|decline|declining|\
     refuse|prefer|prevent|prevents|violate|violates|blocked|nicht|kein|keine|ne|pas|non|nada|\
     não|nulla|nichts|niet|n'ai|falls",
);
