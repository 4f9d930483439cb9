"""Words that values are made of: sexes, countries, illnesses, given names, yes and no."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from shoal.tables.column_names import Role


@dataclass(frozen=True)
class Words:
    """Texts that hold words of one kind."""

    role: Role
    topic: str
    known: frozenset[str]
    needed: int
    """How many of the known words must occur."""
    share: float = 0.5
    """The share of the distinct values that must hold one."""

    def fits(self, values: Sequence[str]) -> bool:
        """Whether enough known words occur in enough values."""
        found: set[str] = set()
        hits = 0
        for value in values[:200]:
            here = self.known.intersection(re.split(r"[^\w]+", value.lower())) | self.known & {value.lower()}
            found |= here
            hits += bool(here)
        return len(found) >= self.needed and hits >= self.share * min(len(values), 200)


def _words(text: str) -> frozenset[str]:
    return frozenset(word.replace("_", " ") for word in text.split())


GIVEN = _words(
    """
    aaron abdul abdullah abigail ada adam adele adem adrian agata agnes agnete agnieszka ahmed ahmet aiko aino
    aisha akira aksel alain alan albert alberto alejandro aleksander aleksandra alessandro alessia alex alexander
    alexandra alexis alfonso alfred ali alice alicia alina allison amanda amber amelia amir amit ana anastasia
    anders andre andrea andreas andrej andrew andrzej angel angela angelina angelo anita anja anke ann anna anne
    anneke annette annie anthony antoine anton antonia antonio antonis arne arthur artur arturo asbjorn asha
    ashley asif astrid audrey audun august aurelie austin axel aylin ayse barbara bartosz bas beata beate beatriz
    ben benedikt benjamin bente berit bernard bernd bert betty bianca bill birgit bjarne bjorn bob bogdan boris
    brandon brenda brian brigitte brit bruce bruno burak cameron camille carl carla carlo carlos carmen carol
    carolina caroline carolyn caterina catherine cecilia cedric celine cem charles charlotte chen cheryl chiara
    chloe chris christian christina christine christoph christopher claire clara claudia claudio clement cristina
    cynthia cyril dag dagmar damian dan daniel daniela danielle danuta daria dario dave david deborah deniz dennis
    derek diana diego dieter dimitris dirk dirk-jan dmitri dominik donald donna doris dorota dorothy douglas
    duncan dylan edith eduardo edward eero egil einar eirik elena eleni elif elina elisa elisabeth elise elizabeth
    elke ella ellen els elsa elzbieta emil emilia emilie emily emine emma emre enrico enrique eric erica erich
    erik erika erin ernst eskil esra ester esther ethan etienne eugene eva evelyn ewa fabian fabio fabrice fatima
    fatma federica federico felipe felix fernanda fernando ferran filip finn florence florian frances francesca
    francesco francisco francois frank franz fred frederic frederik freya friedrich gabriel gabriela gabriele gary
    gemma george gerald gerard gerda gerhard gertrud giorgio giovanni giulia giuseppe gloria gonzalo gordon grace
    gro grzegorz guido guillaume gunnar gustav guy hakan halina hana hannah hannele hans harald harry hassan
    hatice heather hege heidi heike heikki heinrich heinz helen helena helga helmut hendrik henri henrik henry
    henryk herbert hilde hiroshi holger horst hugo hulya hussein ian ibrahim ida ignacio igor ilona ilse ines inga
    inge ingeborg ingrid irena irene irina iris isabel isabella isabelle ismail istvan ivan jaap jack jacob
    jacqueline jacques jadwiga jakob jakub james jamie jan jana jane janet janice janina janusz jarmo jaroslav
    jason javier jean jeffrey jennifer jens jeremy jerome jerry jerzy jessica jesus jim jiri joan joana joao
    joaquin jochen joe joel johan johann johanna johannes john jolanta jon jonas jonathan jordan jorge jorgen jose
    josef josefina joseph joshua joyce jozef juan juha juhani julia julian julie julien jurgen justin justyna
    kaare kadir kalle kamil kaori karel karen kari karin karl karoline kasper katarina katarzyna kate katherine
    kathleen kathrin katie katja keith kelly kemal kenji kenneth kerstin kevin kim kimberly kirsi kirsten kjell
    klaus knut kristian kristin kristina krystyna krzysztof kyle laila lara larry lars laura lauren laurence
    laurent lauri lea leena leif leila lena leo leonardo leslie li liam lidia lieke liisa lina linda lindsay
    linnea lisa ljubica lorenzo louis louise lubos luca lucas lucia lucie lucy ludmila ludwig luigi luis luiz luka
    lukas lukasz lydia maarten maciej madison mads magda magdalena magne magnus maja malgorzata malin manfred
    manon manuel manuela marcel marcin marco marcos marek margaret margarita margit margot maria mariana marianne
    marie marie-claude marina mario marion marit mariusz marjan mark markku markus marta marte martha martin
    martina martine mary mateusz mathieu mathilde matteo matthew matthias matti maurice mauro max mehmet mei
    melanie melissa mercedes merete merve mia michael michal michele michelle mieke miguel mika mikael mike mikko
    milan miloslav ming miriam mirjam miroslav mohamed mohammad mohammed monika moritz morten muhammad murat
    mustafa nada nadia nancy naomi natalia natalie natasha nathan nazli nicholas nicola nicolas nicole niels
    niklas nikola nikolai nikolaos nils nina noah nora nuno nuray nurcan nuria oddvar oguz ola olaf ole oleg olga
    oliver olivia olivier omar orjan oscar oskar osman otto owen pablo pal paolo pascal patricia patrick patrik
    paul paula pauline pavel pawel pedro pekka penelope pentti per per-olof peter petr petra petteri philip
    philipp philippe pia pierre piet pieter pilar piotr priya rachel radek rafael raffaele ragnar raija raj ralf
    ralph ramon randi raquel ravi raymond rebecca recep regina reidun reinhard renate rene ricardo riccardo
    richard risto rita ritva roar robert roberta roberto robin rodrigo roger roland rolf roman ronald rosa rosario
    rose roy ruben rudolf runar rune russell ruth ryan ryszard sabine sakura sam samantha sami samira samuel
    sander sandra sandro sanjay santiago sara sarah scott sean sebastian selin seppo sergei sergio serkan shannon
    sharon shirley sigrid silke silvia simon simona simone siri sissel slawomir sofia sofie solange solveig sonia
    sonja sophia sophie stanislaw stefan stefania stefano steinar stephan stephane stephanie stephen steve steven
    stine stuart suleyman sunil susan susana susanne suvi suzanne svein sven svetlana sylvain sylvia sylvie
    tadeusz takashi tamara tanja tarja tatiana tatjana teresa terese terje terry thea theo theodor theresa thierry
    thomas thorsten tiago tiina tim timo timothy tina tobias tom tomas tomasz tomoko tone tor torsten tove tracy
    trine trond tuomas turid tyler ulf ulla ulrich ulrike unni ursula urszula uwe vaclav vaino valentina valerie
    vanessa vera veronica veronika victor victoria vigdis viktor vilde ville vincent vincenzo virginia vladimir
    waldemar walter wanda wayne wei werner wieslaw wilhelm willem william willy wojciech wolfgang xavier yasemin
    yasin yasmin yavuz ying ylva yoko yolanda yosef youssef yuki yuri yusuf yves yvonne zbigniew zdenek zeynep zoe
    zofia zsofia zuzana
    """
)
"""Common given names of many countries; a column of personal names holds some of them."""
SURNAMES = _words(
    """
    abdi adams aguilar ahmed alexander ali allen almeida alonso alvarez alves andersen anderson andersson araujo
    arslan aslan aydin bailey baker bakker barbosa barnes bauer becker bell bengtsson bennett berg bernard bianchi
    blanc blanco boer bonnet bos boyer braun brooks brouwer brown bruno bryant bui butler byrne campbell carter
    carvalho castillo castro celik cerny cetin chavez chen chevalier choi christensen claes clark cohen cole
    coleman collins colombo conti cook cooper correia costa cox cruz dabrowski dang das davis dekker delgado demir
    dias diaz dijk dijkstra dlamini do dogan doherty doyle dubois dumitru dupont durand dvorak edwards ellis
    eriksen eriksson esposito evans faure fernandes fernandez ferrari ferreira fischer fisher flores fontaine ford
    foster francois friedman gallagher gallo garcia garnier georgiou gibson gil giordano gomes gomez goncalves
    gonzalez goossens graham gray greco green griffin groot gruber guerin guo gupta gustafsson gutierrez hagen
    hall halvorsen hamalainen hamilton hansen hansson harris harrison hartmann hassan haugen hayes heikkinen
    henderson hendriks hermann hernandez herrera hill hoang hoffmann hofmann horak horvath howard hu huang huber
    hughes hussain ibrahim inoue ionescu ito ivanov ivanova iyer jackson jacobs jacobsen james jankowski jansen
    janssen jansson jarvinen jenkins jensen jesus jimenez johannessen johansen johansson johnsen johnson jones
    jong jonsson jordan jung kaminski kang kara karlsen karlsson kato katz kaya kelly kennedy khan kilic kim
    kimura king kiss klein kobayashi koc koch kohler korhonen koskinen kovacs kowalczyk kowalska kowalski
    kozlowski krause krawczyk kristensen kristiansen kruger krüger kucera kumar kuznetsov kwiatkowski köhler laine
    lambert lange larsen larsson laurent lee leeuwen lefebvre legrand lehmann lehtinen lehtonen leroy levy
    lewandowski lewis li lima lin liu lombardi long lopes lopez luo lynch macdonald madsen maes mahmoud maier
    makela makinen mancini marino marques marshall martin martinez martins matsumoto mayer mazur mccarthy mcdonald
    medina mehta meier meijer mendes mendoza mensah mercier mertens meyer michel miller mitchell mizrahi mohamed
    molina molnar moore morales moreau moreira moreno moretti morgan morris moser mulder muller murphy murray
    muñoz myers müller nagy nair nakamura nelson nemec neumann nguyen nielsen nieminen nilsen nilsson nkosi novak
    novotny nováková nowak nunes o'brien o'connor o'neill oconnor okafor okeke olesen oliveira olsen olsson ortega
    ortiz osman owens owusu ozdemir ozturk papadopoulos park parker patel patterson pedersen peeters pereira
    peretz perez perry persson peters petersen peterson petit petrov petrova pettersen pettersson pham phan
    phillips pichler pinto popa popescu popov poulsen powell price prochazka quinn ramirez ramos rao rasmussen
    reddy reed reyes reynolds ribeiro ricci richard richardson richter rivera rizzo robert roberts robertson
    robinson rocha rodrigues rodriguez rogers romano romero ross rossi rousseau roux ruiz russell russo ryan
    saarinen sahin salminen sanchez sanders santos sasaki sato schafer schmidt schmitt schmitz schneider schroder
    schröder schulz schwarz schäfer scott serrano shah sharma silva simmons simon singh smirnov smit smith smythe
    sokolov sorensen sousa souza steiner stevens stewart sullivan sun suzuki svensson svoboda svobodová szabo
    szymanski takahashi tanaka taylor teixeira thomas thompson thomsen torres toth tran turner varga vasquez vega
    vesely virtanen visser volkov vos vries vu wagner walker wallace walsh wang ward washington watanabe watson
    weber werner west white willems williams wilson wisniewski wit wojcik wolf wood woods wouters wozniak wright
    wu xu yamada yamaguchi yamamoto yang yildirim yildiz yilmaz yoon yoshida young zhang zhao zhou zhu zielinski
    zimmermann
    """
)
"""Common surnames of many countries."""
CHINESE = (
    "["
    + (
        ""
        "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范方"
        "石姚谭廖邹熊金陆郝孔崔康毛邱秦史顾侯邵孟龙万段雷钱汤尹黎易武乔贺赖龚張劉陳楊趙黃吳許鄭謝鄧"
    )
    + "]"
)
"""First signs of the names of most people in China."""
JAPANESE = (
    "佐藤|鈴木|高橋|田中|伊藤|渡辺|渡邊|山本|中村|小林|加藤|吉田|山田|佐々木|山口|松本|井上|木村|斎藤|斉藤|清水|山崎"
    "|森|池田"
    "|橋本|阿部|石川|山下|中島|石井|小川|前田|岡田|長谷川|藤田|後藤|近藤|村上|遠藤|青木|坂本|福田|太田|西村|藤井|金子"
    "|岡本|藤原"
    "|三浦|中野|中川|原田|松田|竹内|小野|田村|中山|和田|石田|森田|上田|原|柴田|酒井|宮崎|横山|宮本|内田|高木|安藤|谷口"
    "|大野"
)
"""Common surnames of Japan."""
_COUNTRIES = _words(
    """
    argentina australia austria belgium brazil bulgaria canada chile china colombia croatia cuba denmark ecuador
    egypt england estonia finland france germany ghana greece guatemala haiti hungary iceland india indonesia
    iran iraq ireland israel italy jamaica japan kenya korea latvia lithuania luxembourg malaysia mexico morocco
    nepal netherlands nigeria norway pakistan peru philippines poland portugal romania russia serbia slovakia
    slovenia spain sweden switzerland thailand turkey uganda ukraine usa united_states united_kingdom vietnam
    """
)
_STATES = _words(
    """
    al ak az ar ca co ct de fl ga hi id il in ia ks ky la me md ma mi mn ms mo mt ne nv nh nj nm ny nc nd oh ok
    or pa ri sc sd tn tx ut vt va wa wv wi wy dc alabama alaska arizona arkansas california colorado connecticut
    delaware florida georgia hawaii idaho illinois indiana iowa kansas kentucky louisiana maine maryland
    massachusetts michigan minnesota mississippi missouri montana nebraska nevada ohio oklahoma oregon
    pennsylvania tennessee texas utah vermont virginia washington wisconsin wyoming
    """
)
_ILLS = _words(
    """
    flu influenza gout asthma cancer diabetes hypertension pneumonia bronchitis gastritis ulcer fracture
    syndrome disorder disease infection infarction stroke hiv aids hepatitis arthritis dermatitis sinusitis
    pharyngitis tuberculosis covid depression anxiety schizophrenia dementia epilepsy migraine obesity anemia
    anaemia carcinoma tumor tumour leukemia cholesterol sprain concussion overdose dyspepsia indigestion malaria
    measles eczema allergy
    """
)
SPEAKING = (
    Words(
        Role.QUASI,
        "the sexes",
        _words(
            "male female man woman men women mann frau weiblich mannlich männlich hombre mujer homme femme kvinne"
            " kvinna mies"
            " nainen uomo donna maschio femmina homem mulher masculino feminino masculin feminin féminin hombre kobieta"
            " mezczyzna mężczyzna muz žena zena erkek kadin kadın мужской женский муж жен 男 女 vrouw kvinde"
        ),
        2,
    ),
    Words(
        Role.QUASI,
        "marital states",
        _words("married single divorced widowed separated unmarried verheiratet ledig gift"),
        2,
    ),
    Words(
        Role.QUASI,
        "ethnic groups",
        _words("white black asian hispanic caucasian latino latina native african hawaiian"),
        2,
    ),
    Words(Role.QUASI, "countries", _COUNTRIES, 3),
    Words(Role.QUASI, "states of the USA", _STATES, 5, 0.9),
    Words(
        Role.QUASI,
        "levels of education",
        _words("bachelor bachelors master masters doctorate phd college diploma isced"),
        2,
        0.3,
    ),
    Words(Role.SENSITIVE, "illnesses", _ILLS, 2, 0.3),
)
YES_NO = _words("0 1 yes no y n true false t f ja nein nei oui non si")
UNSURE = _words("unknown na n/a nan null missing refused maybe other none ? . na-code unbekannt inconnu")


def is_answer(value: str) -> bool:
    """Whether a value says something, rather than that nothing is known.

    >>> is_answer("Oslo"), is_answer("n/a"), is_answer("?"), is_answer("--")
    (True, False, False, False)
    """
    return value.lower() not in UNSURE and any(sign.isalnum() for sign in value)


def is_yes_no(values: Sequence[str]) -> bool:
    """Whether the values are two answers, yes and no, and at most unsure ones besides.

    >>> is_yes_no(["Yes", "No", "Unknown"]), is_yes_no(["1", "0"]), is_yes_no(["1", "2"])
    (True, True, False)
    """
    plain = {value.strip().lower() for value in values}
    return len(plain & YES_NO) == 2 and plain <= YES_NO | UNSURE
