"""The words that names of columns are made of, in English and some twenty other languages: rules, by role and topic.

`column_names.py` says how a rule is read.
"""

from __future__ import annotations

from shoal.tables.column_names import Role, Rule

I, Q, S, O, OPEN = Role.IDENTIFIER, Role.QUASI, Role.SENSITIVE, Role.OTHER, Role.OPEN  # noqa: E741 - read as a table

_PERSONS = (
    "patient|person|customer|client|employee|user|member|student|contact|spouse|mother|father|passenger|applicant"
    "|resident|owner|holder|subject|respondent|child|guardian|doctor|physician|nurse|teacher|worker|insured|paciente"
    "|cliente|patienten|kunden|hasta|musteri|paziente|funcionario|klient|pasient"
)
_HOLDERS = (
    "pat|patient|person|people|customer|cust|client|employee|emp|user|member|student|pupil|subject|subj|passenger"
    "|participant|respondent|applicant|donor|tenant|borrower|beneficiary|inmate|voter|taxpayer|victim|worker|staff"
    "|personnel|household|hh|family|individual|citizen|resident|insured|subscriber|candidate|enrollee|guest"
    "|paciente|cliente|empleado|alumno|persona|utente|funcionario|aluno|paziente|dipendente|studente|salarie|adherent"
    "|assure|allocataire|abonne|etudiant|contribuinte|contribuyente|socio|afiliado|pojistence|pasient|patienten|kunde"
    "|kunden|klient|klant|asiakas|potilas|pacjent[a]?|klienta|pracownika"
    "|pacienta"
    "|zamestnance|hasta|musteri|personel|ogrenci|пациента|клиента|сотрудника"
)
_RECORDS = (
    "case|record|policy|account|order|invoice|transaction|encounter|visit|admission|claim|study|sample|loan|ticket|file"
    "|registration|reference|medical|hospital_record|chart|insurance|medicare|medicaid|health_card|membership|booking"
    "|contract|contrat|contrato|application|police|polizza|proceso|processo|specimen|episode|dossier|expediente|poliza"
    "|caso|cartella|pratica|akten|fall|sak|arende"
    "|journal"
    "|polis|dosya|полиса|карты|дела"
)
_NUMBER = (
    "id|ids|n[or]|nbr|nmbr|num|number|nummer|numero|numer|cislo|numarasi|key|code|kod|codigo|codice|identifier|ident"
    "|pseudonym|hash|token|ref|pin|tunnus|номер"
)
_NUMMER = "id|n[or]|nr|numero|numer|cislo|codigo|codice|cod|номер|ид"
"""Words for a number that stand before whose it is, and not for how many there are."""
_SAMPLING = (
    "sampling|sample|survey|design|household|person|final|expansion|case|analysis|interview|exam|population"
    "|calibrated|grossing"
)

NAME = "a personal name"
NUMBERS_OF_PEOPLE = Rule(
    I,
    "a number of a person",
    f"(?:{_HOLDERS})_?(?:{_NUMBER}) (?:num|{_NUMMER})_(?:de_|do_|da_|di_|du_)?(?:{_HOLDERS})(?!s) mrn nhc ipp pid uid"
    f" hhid"
    " medical_record* historia_clinica (?:no|n|num|numero)_assurance* cartella_clinica matricule matricola legajo"
    " patid patnr patientid personid"
    " subjid usubjid (?:patient|kunde|person|pers|mitglied|versicherte|personal|klant|personeel|lid|student|kund|medlem"
    "|anstallning|pasient|ansatt|medarbejder|asiakas|potilas|henkilo|jasen|tyontekija|elev|schuler|dossier|journal"
    "|krankenkasse|client|member|staff|employee|customer|cust|cust_|emp|user|lopenummer|lope)"
    "(?:e?n|s|en|er|a)?(?:nummer|nr|numero|tunnus|number|num|nbr|no|id) lopnr lobenr lopenr"
    " табельный* *患者*(?:番号|id|编号|号|no) *(?:病历|病案|住院|门诊|客户|员工|工|学|会员|顧客|社員|会員|カルテ"
    "|被保険者|学籍|受診者)"
    "(?:番号|号|编号|号码|id) *(?:환자|고객|회원|직원)번호 사번",
)
RECORD_NUMBERS = Rule(
    I,
    "a record number",
    f"guid uuid hid rowid row_n[uo]* record_n[uo]* serial* (?:{_RECORDS})_?(?:{_NUMBER})"
    f" (?:{_NUMMER})_(?:de_|do_|da_|di_|du_)?(?:{_RECORDS})(?!s) ticket accession* index_n[uo]* hadm aktenzeichen"
    f" expediente num_(?:dossier|police|poliza|polizza|proces*o|expediente|contrato?) pseudonym* *kennung caseid"
    f" recordid sampleid uniqueid",
)
ROW_NUMBERS = Rule(I, "a record number", "id index row rownum rownames idx seqn key lfdnr lfd identifier", whole=True)
OTHER_NUMBERS = Rule(
    I,
    "a number",
    "id *_id id_* identifier* [a-z]{3,}(?:nummer|numero|nr|nbr) (?:n[or]|nbr|num|number|nummer|numero|номер|编号|番号)$"
    " *(?:编号|番号|번호)$",
)
SUBJECTS = Rule(
    I,
    "a number of a person",
    "subject participant respondent patient person student pupil customer client employee user member passenger donor"
    " applicant household proband paciente paziente pasient potilas pacjent pacient hasta kunde cliente klant",
    whole=True,
)
_HOMES = (
    "household|hh|hld|family|home|dwelling|housing_unit|haushalt|haushalts|hushall|hushalls|husstand|husstands|hogar"
    "|vivienda|menage|foyer|famiglia|domicilio|huishouden|kotitalous|hane|gospodarstwo"
)
HOUSEHOLD_NUMBERS = Rule(
    I,
    "a number of a household",
    f"(?:{_HOMES})_?(?:{_NUMBER}) (?:{_NUMMER})_(?:de_|do_|da_|di_|du_)?(?:{_HOMES})(?!s) hid hhid serialno"
    " [dh]b_030 [rp]x_030 (?:haushalts|hushalls|husstands)(?:nummer|nr|id)",
)
HOUSEHOLD_ATTRIBUTES = Rule(
    Q,
    "the household",
    f"(?:{_HOMES})_(?:size|members|type|composition|income|tenure|rooms) h+size hh_?size famsize haushaltsgro*"
    " (?:number|num|n|no)_(?:of_)?(?:persons|people|rooms|members) tenure rooms dwelling_type hht np eq_ss",
)
WEAK = (RECORD_NUMBERS, ROW_NUMBERS, OTHER_NUMBERS)
"""Names that say a number, but not of a person: of few values it numbers kinds of things."""
NUMBERS = (NUMBERS_OF_PEOPLE, SUBJECTS, *WEAK)

IDENTIFIERS = (
    Rule(
        I,
        NAME,
        "name first last middle maiden forename surname nom nombre nome naam namn navn nimi nev imie"
        " nazwisko jmeno prijmeni ad adi isim soyad soyadi cognome sobrenome apelido numele given family soyisim имя"
        " фамилия отчество фио"
        " 姓名"
        " 名字 姓 氏名 名前 이름 성명 doctor physician author",
        whole=True,
    ),
    Rule(
        I,
        NAME,
        "surname* forename* firstname lastname fullname nickname maiden* first_name last_name full_name [fl]name"
        " [flm]_name pt_name* second_name middle_* (?:primer|segundo)_nombre nombre_[0-9]"
        " given_name family_name middle_name name_first name_last *nachname* vorname* familienname zuname geburtsname"
        " *prenom* nom_(?:de_famille|complet|patient|client|usuel|naissance) apellido* nombres nombre_(?:completo"
        "|del?_*)"
        " nome_(?:completo|d[aeo]_*|paziente|cliente|paciente) cognome sobrenome voornaam achternaam familienaam"
        " fornamn"
        " efternamn fornavn efternavn etternavn mellomnavn etunimi sukunimi imie nazwisk* jmeno prijmeni soyad*"
        " ad_soyad*"
        " vezeteknev keresztnev prenume имя фамилия отчество фио *姓名* *氏名* nom_(?:parent|pere|mere|conjoint"
        "|medecin) next_of_kin emergency_contact contact_(?:info|details|urgence)"
        " contact_person kontaktperson *arztname kontoinhaber* account_holder ansprechpartner sachbearbeiter*"
        f" signed_by created_by entered_by (?:{_PERSONS})_?name (?:{_PERSONS})_(?:ad|adi|nome|nombre|nom|navn|namn|naam"
        "|nimi)"
        f" name_(?:{_PERSONS})",
    ),
    Rule(
        I,
        "an e-mail address",
        "email* e_mail* mail_address mail$ courriel correo* epost* e_post* eposta* sahkoposti* posta_elettronica"
        " *(?:邮箱|邮件|メール|이메일)* почта",
    ),
    Rule(
        I,
        "a phone number",
        "phone* *telephone* telefon* telefoon* telemovel* cellphone *phone mobile_n[uo]* fax_n[uo]* msisdn celular"
        " movil"
        " handy handynummer mobil mobilnummer mobiltelefon* mobilnr gsm *puhelin* komorka cep_tel* whatsapp"
        " *(?:电话|手机|電話|携帯|전화)* телефон*",
    ),
    Rule(I, "a phone number", "mobile cell fax tel tlf portable tel_[a-z]+", whole=True),
    Rule(
        I,
        "a national or tax number",
        "ssn ssns *social_security* nino nhs_n[uo]* nhs national_id* national_n[uo]* nin curp cpf rg dni nie aadhaar*"
        " aadhar*"
        " pesel bsn fnr fodselsnummer personn(?:ummer|r) cpr cprn(?:ummer|r) sin_number tax_id tax_n[uo]* tin steuer*"
        " nif insee nir nss niss rfc rut run_chile cuil cuit cedula* dni_* burgerservicenummer rijksregister*"
        " henkilotunnus hetu"
        " samordningsnummer d_nummer codice_fiscale tessera_sanitaria *securite_sociale seguridad_social"
        " numero_(?:de_)?utente"
        " cartao_(?:de_)?cidadao nip dowod* rodne_cislo rc tckn tc_* *_tc *kimlik* numero_documento document_n[uo]*"
        " identity_document sozialversicherungs* svnr ahv*"
        " versicherten*"
        " krankenversicherten* *ausweis* cnp egn jmbg oib isikukood снилс инн *(?:身份证|身份證|マイナンバー|個人番号"
        "|주민등록)*",
    ),
    Rule(I, "a national or tax number", "tc sin pan documento", whole=True),
    Rule(
        I,
        "an account or card number",
        "iban bic account_n[uo]* account_id card_n[uo]* cc_n[uo]* credit_?card kontonummer kontonr konto"
        " rekeningnummer bankkonto bankrekening (?:cuenta|conta)_bancaria compte_bancaire conto_bancario tilinumero"
        " numero_(?:de_)?(?:cuenta|conta|compte|carte|tarjeta|cartao) numer_konta cislo_uctu"
        " hesap_n*"
        " *(?:银行卡|账号|口座番号|계좌)*",
    ),
    Rule(
        I,
        "a passport, licence or plate number",
        "passport* pasaporte passeport passaporte passaporto pasaport* paszport* reisepass* pass(?:nummer|nr)"
        " drivers?_licen*"
        " driving_licen* fuhrerschein* permis_(?:de_)?conduire licen[cs]e_n[uo]* matricula* licen[cs]e_plate*"
        " plate_n[uo]*"
        " number_plate vin kennzeichen nummernschild kenteken immatriculation targa registreringsnummer nummerplade"
        " nr_rejestracyjn* numer_rejestracyjn* spz"
        " plaka rekisterinumero chassis* паспорт* госномер *(?:护照|車牌|车牌|パスポート)*",
    ),
    Rule(I, "a passport, licence or plate number", "driver licen[cs]e plate", whole=True),
    Rule(
        I,
        "a network address or device",
        "ip ip_address ipv mac_address ip_addr *_ip mac$ device_id imei imsi idfa gaid adid",
    ),
    Rule(
        I,
        "a street address",
        "addr(?:ess)?(?!*_(?:city|town|state|zip|country|county|region|post*))* street* strasse* *adres* anschrift"
        " direccion* house_n[uo]* hausn* huisnummer"
        " *osoite* gatuadress gateadresse indirizzo endereco morada domicilio ulica ulice straat* straatnaam"
        " logradouro sokak* адрес улица *(?:地址|住址|住所|주소)*",
    ),
    Rule(I, "a street address", "rue rua calle via vej gade gata vei", whole=True),
    Rule(
        I,
        "an online account, or a picture or print of a person",
        "username user_name login login_name screen_name twitter facebook instagram linkedin url website password"
        " senha* contrasena* passwort* mot_de_passe sifre* haslo chave_pix fingerprint*"
        " photograph* biometric* cookie* session_id benutzername identifiant usuario kullanici_adi 用户名 profile_url",
    ),
    NUMBERS_OF_PEOPLE,
    SUBJECTS,
    RECORD_NUMBERS,
    ROW_NUMBERS,
    OTHER_NUMBERS,
)
FREE_TEXTS = Rule(
    I,
    "free text",
    "note notes comment* remark* free_?text narrative memo anamnes* bemerkung* *kommentar* anmerkung* notiz* freitext*"
    " commentaire* remarque* observacion* comentario* osservazion* commento commenti observacoes opmerking* toelichting"
    " anteckning* fritext* merknad* bemaerkning* huomautus* uwagi komentar* poznamk* notlar aciklama yorum примечани*"
    " комментари* *(?:备注|備考|コメント|メモ|비고)*",
)

COORDINATES = (
    Rule(
        Q,
        "geographic coordinates",
        "lat latitud* lon longitud* lng coord* easting northing gps* geolocation utm* breitengrad langengrad breddegrad"
        " lengdegrad latitudine longitudine szerokosc dlugosc enlem boylam широта долгота 纬度 经度 緯度 経度",
    ),
    Rule(Q, "geographic coordinates", "long x y x_coord* y_coord* xcoord ycoord", whole=True),
)
BIRTH_DATES = Rule(
    Q,
    "a birth date",
    "dob yob birthdate birthday *birth_date date_of_birth birth_day birth_year year_of_birth birth_month"
    " geburts* *naissance *nacimiento fodselsdato *dateofbirth",
)
BIRTH_DATES_ABROAD = Rule(
    Q,
    "a birth date",
    "*nascita *nascimento geb_dat* gebdat* dogum geboorte* fodelse* fodsels* syntyma* *urodzenia *narozeni"
    " dogum_tarih* рожден* *рождения"
    " *(?:出生日期|出生年月|生年月日|생년월일)* birth",
)
BORN = Rule(Q, "a birth date", "born geboren geb født född nee né née nato nata nacido nacida", whole=True)
"""What says a birth date where the values are dates or numbers, and else a place."""
DATES = Rule(
    Q,
    "a date",
    "(?!candi|up|man|vali|accommo)*date date_* datetime timestamp *_dt fecha* datum *datum dato *time_of_*"
    " admittime dischtime",
)
DATES_ABROAD = Rule(
    Q,
    "a date",
    "data_(?:admissao|admissione|ricovero|consulta|entrada|saida|alta|wizyty|przyjecia|dimissione|prijeti) *tarih*"
    " paivamaara *paiva pvm *(?:日期|年月日|날짜)* дата_*",
)
YEARS = Rule(Q, "a year", "*year yr *yr jahr ano annee month quarter")

WEIGHTS = Rule(
    O,
    "a survey weight, which says how many people a record stands for",
    f"weights weights_* [a-z]+wgtp? wgt_* wt[a-z]{{3,}} (?:{_SAMPLING})_weight",
)

POSTCODES = Rule(Q, "where somebody lives", "zip* postcode* post_code* postal* plz codigo_postal postnummer")
POSTCODES_ABROAD = (
    Rule(
        Q,
        "where somebody lives",
        "postleitzahl code_postal postinumero postnr kod_pocztowy posta_kodu почтовый* *(?:邮编|邮政编码|郵便番号"
        "|우편번호)*",
    ),
    Rule(Q, "where somebody lives", "cap cep psc", whole=True),
)
DECIDING = (
    POSTCODES,
    *POSTCODES_ABROAD,
    Rule(
        Q,
        "where somebody was born",
        "birthplace* birth_place place_of_birth birth_country country_of_birth born geburtsort geburtsland"
        " lieu_(?:de_)?naissance lugar_(?:de_)?nacimiento luogo_(?:di_)?nascita naturalidade fodested fodeland"
        " geboorteplaats",
    ),
)

CODES = Rule(
    OPEN,
    "a code",
    "id$ code* cd$ typ(?:e|us)? kind category cat$ status isco* icd* naf insee fips sic naics race* ethnic* marital*"
    " occupation* occup industry sector region state county country province district nationality citizenship religion"
    " language department hispanic*",
)
"""Names of columns whose whole numbers are codes and no quantities."""
COUNTS = Rule(
    OPEN,
    "a count",
    "(?:num|number|n|no|nr|nb|anzahl|antall?|aantal|antal|numero|nombre|numar|liczba|pocet)_(?:of_|de?_|di_)?[a-z]+"
    " [a-z]+_(?:count|cnt) count children kids childs? kinder enfants hijos filhos figli *size *members persons people"
    " *rooms cars vehicles visits sib_?sp siblings parch dependents dependants pregnancies births times",
)
"""Names of columns whose whole numbers count something."""
DIAGNOSIS_CODES = Rule(OPEN, "a coded diagnosis", "icd* diag *diagnos* dx* cause_of_death *morbid*")
INDUSTRY_CODES = Rule(OPEN, "a coded industry", "nace* isic*")
OCCUPATION_CODES = Rule(OPEN, "a coded occupation", "isco*")
AREA_CODES = Rule(OPEN, "a coded area", "nuts*")

SENSITIVE = (
    Rule(
        S,
        "sexual life",
        "sex*_orient* *orientation* sexual* same_sex sex_(?:ever|age|num|part*|life) partners num_part*"
        " contracep* abort* std sti fertil* intercourse libido",
    ),
    Rule(
        S,
        "health",
        "*health* hlth *diagnos* diag *disease* *illness* sick* icd* drg *symptom* *syndrom* *disorder* *cancer*"
        " *tumo[u]?r* *diabet* stroke* heart* cardi* *cardi[oa]* *h[yi]pertens* *cholest* chol* bp blood*"
        " *glucose* hba* a_1_c* insulin pulse* bmi *obes* *asthma* copd *pneumon* covid* *infect* *virus* hiv aids"
        " hepat*"
        " renal* kidney* liver* lung* *immun* intub* icu ventilat* surger* *surgical* operation* treatment*"
        " therap* medication* medicine* medical_(?:condition|history|procedure|note)* prescri* dose* dosage drug*"
        " vaccin* allerg* disab* handicap* impair* pregnan* *gravid* birth_weight lab_* *test_result* hemoglobin"
        " haemoglobin creatin* sodium potassium platelet* ejection* systolic diastolic bi_rads birads gleason"
        " biops* mri ecg ekg *ecg eeg cp chest* angina* pain* inpatient* outpatient* emergency patient_(?:type|class"
        "|status)"
        " *admission* *discharge* readmi* *mortal* *autis* *dement* alzheim* krank* *sykdom* enfermedad* maladie*"
        " hospitaliz* condition* procedure* complication* comorbid* apgar urin* *testosteron* hormon*"
        " length_of_stay gene genotype* snp sleep* erkrank* *sanguin* kan_grubu antecede* antecedan* medikation*"
        " medicati* *blutzucker terapia* invalid*"
        " discapacid* deficiencia behandel* diagno[oz]* hoito* rozpoznan* niepelnospraw* engelli* sjukfranvaro"
        " sykefravaer sygefravaer befund* therapie* medikament* *blutdruck laborwert*"
        " gesundheit*"
        " schwanger* *behinder* verweildauer*"
        " ziekte* aandoening gezondheid* zwanger* sjukdom* halsa* behandling* sygdom* helse*"
        " helbred*"
        " sairau* terveys* laakity* sante traitement* tension grossesse salud tratamiento* embarazo* presion* saude"
        " doenca*"
        " tratamento* gravidez malattia* salute trattamento* gravidanza pressione* choroba* choroby leczeni* zdrowi*"
        " leki"
        " nemoc* lecba* zdrav* hastalik* tani tedavi* saglik* gebelik диагноз* болезн* заболевани* лечени* здоровь*"
        " *(?:诊断|診断|疾病|病名|治疗|治療|血压|血圧|健康|진단|질병)*",
    ),
    Rule(
        S,
        "the state of mind",
        "mental* ment *depress* anxi* psych* suicid* stress* mood* *satisfaction* well_being wellbeing iq adhd"
        " *therapy*",
    ),
    Rule(
        S,
        "what somebody takes or drinks",
        "smok* tobacco* cigar* nicotine alcohol* alkohol* drink* marij* cannabis cocaine heroin opioid* meth methamph*"
        " substance* addict* rauch(?:t|en) raucher* tabagis* rokare royker* ryger* paleni* kurak* fumeur* fumador*"
        " fumante*"
        " fumatore* tupak* roker rokere sigara* курени*"
        " *(?:吸烟|饮酒|喫煙|飲酒)*",
    ),
    Rule(
        S,
        "money",
        "money *income* *salar* wage* earn* pay(?!s) payment* paid payroll bonus* malus compens* expend* expens*"
        " spend* saving* balance* bal debt* loan* credit* *default* mortgage* bill bills bill_* amt *amount* cost*"
        " *charge* price* fee fare premium* *claim* limit tax* revenue* profit* *poverty* pov wealth* asset*"
        " networth net_worth benefit* pension* welfare* capital* overdue arrear* delinquen* repay* budget"
        " allowance stipend* daily_rate hourly_rate monthly_rate checking_* lohn* *gehalt* entgelt* *einkommen*"
        " salario ingreso"
        " ingresos revenu *lonn* inntekt* salaire* renda currency turnover verdienst vermogen* schuld* betrag* debito*"
        " divida* *inntekt* gaeld* *tulot velat zadluzeni* dluh* (?:bruto|netto|uur|maand)loon"
        " umsatz* kredit*"
        " inkomen"
        " loon bedrag* inkomst* belopp* skuld* manadslon arslon belop* gjeld* indkomst* palkka* tulot velka* reddito"
        " importo*"
        " montant* dette* sueldo* renta importe* monto deuda* rendimento* ordenado vencimento* wynagrodzeni* dochod*"
        " kwota*"
        " zarobki pensja prijem mzda castka maas* gelir* ucret* tutar borc зарплат* доход* оклад* сумма"
        " *(?:工资|收入|薪|金额|年収|給与|収入|所得|金額|월급|소득)*",
    ),
    Rule(S, "money", "lon loen plat tulo summa valor", whole=True),
    Rule(
        S,
        "how somebody was judged",
        "*score* gpa rating* *performance* evaluation* exam exams grade grades mark marks offen[cs]e* crime*"
        " crimin* felon* prior priors convict* arrest* recid* sentenc* verdict* prison* jail* disciplin*"
        " complaint* fraud* vorstrafe* strafregister* delito* condamnation* оценк* *(?:成绩|点数|分数)*",
    ),
    Rule(S, "convictions", "politic* party *vote* voting union ballot partei* gewerkschaft* sindicato*"),
    Rule(
        S,
        "what became of somebody",
        "outcome* target label result* final severity *injur* accident* crash* *surviv* death* died dead deceas*"
        " expire* fatal* victim* churn* attrition exited response event gestorben verstorben* todes* deces muerte*"
        " obito"
        " decesso zgon umrti olum смерт* *死亡*",
    ),
    Rule(S, "working time", "*hours* overtime* weeks_* absen* sick_leave attendance arbeitszeit* *stunden"),
)
MEASURES = Rule(
    S,
    "a measure",
    "length* distance* duration* size total* sum avg mean median rate* ratio* percent* days minutes seconds temp"
    " temperature*"
    " speed volume* quantity steps calorie* quantit* dauer laufzeit entfernung abstand menge summe durchschnitt duree"
    " distancia duracion suma soma durata lengde varighet avstand maara kesto odleglosc czas delka sure mesafe",
)

AGES = Rule(
    Q, "age", "age ages age[a-z]{1,2} age_* agegroup* edad alter alder aldersgruppe senior* elderly minor adult"
)
RELATIVES = Rule(
    OPEN,
    "a relative",
    "(?:mother*|father*|parent*|spouse*|husband*|wife*|partner*|guardian*|[mf]other)_[a-z]+ [a-z]*(?:mother|father"
    "|wife"
    "|husband|spouse)[a-z]* guardian* sibling* sib parent* [mf]_?(?:edu|job)",
)
EVENTS = Rule(OPEN, "an age at an event", "age_(?:at|when|first|1|of)_[a-z ]+ age_(?:first|1)*")
KNOWN = (
    AGES,
    Rule(
        Q,
        "age",
        "idade alters(?:band|gruppe|klasse|kategorie|stufe) leeftijd* vek wiek yas lebensalter"
        " fascia_eta faixa_etaria grupo_etario aldersgrupp*"
        " ikaryhma* grupa_wiekowa vekova_skupina tranche_age grupo_(?:de_)?edad возраст* *(?:年龄|年齢|나이|연령)*",
    ),
    Rule(Q, "age", "eta ika", whole=True),
    Rule(
        Q,
        "sex",
        "sex sexes gender* sexo genero geschlecht kjonn sexe male female civility salutation is_male geslacht sukupuoli"
        " sesso plec pohlavi cinsiyet* anrede *(?:性别|性別|성별)*",
    ),
    Rule(Q, "sex", "kon kön køn koen genre пол", whole=True),
    Rule(
        Q,
        "origin",
        "race races racial *ethnic* etni* hisp* latino* ancestry tribe caste *origin nativ* *citizen* nationalit*"
        " immigr* migra* foreign* *language* english* mother_tongue relig* faith staatsangeh* staatsburger* herkunft"
        " nationalitat nazionalita nacionalidad* cittadinanza kansalaisuus narodowosc* obywatelstw* obcanstvi uyruk"
        " milliyet"
        " statsborger* medborgar* ursprung raza raca cor_raca konfession* godsdienst geloof muttersprache национальн*"
        " гражданств* *(?:民族|国籍|宗教|국적)*",
    ),
    Rule(
        Q,
        "marital status",
        "marit* marstat* marri* marriage civil_stat* *civil personal_stat* partner spouse* widow* divorc*"
        " familienstand sivilstand burgerlijke_staat civilstand sivilstatus civilstatus siviilisaaty stato_civile"
        " situation_familiale *matrimonial* stan_cywilny rodinny_stav medeni_* семейн* *婚姻*",
    ),
    Rule(
        Q,
        "a place",
        "city cities town* village* municipal* count(?:y|ies) state states province* *region* district* countr*"
        " nation location* place* neighbo[u]?r* parish borough tract puma fips nuts lsoa msa urb* rural* rur"
        " *resid* *kommune* fylke ort stadt bundesland ciudad pais ville pays geo* area suburb community ward_code"
        " birthtown home_town embarked destination wohnort standort *gemeinde landkreis kanton*"
        " woonplaats gemeente provinci*"
        " kommun lan"
        " kunta kotikunta maakunta paikkakunta kaupunki citta comune regione localita cidade municipio* freguesia"
        " distrito concelho comuna departement commune localidad comunidad colonia alcaldia entidad miasto"
        " gmina powiat"
        " wojewodztw* miejscowosc mesto obec okres sehir ilce mahalle город* область район* регион населенн*"
        " *(?:城市|省份|地区|市区町村|都道府県|주거지)*",
    ),
    Rule(Q, "a place", "il kraj land plaats stad estado uf bairro by bydel sted bezirk kreis county", whole=True),
    Rule(
        Q,
        "education",
        "(?!deduct|reduc)*educ* edu *school* degree* college* isced universit* diploma* qualif* literacy student major"
        " studies ausbildung escolaridad* utdanning* bildung* *abschluss opleiding* utbildning* uddannelse* koulutus*"
        " istruzione"
        " titolo_(?:di_)?studio formation diplome niveau_*etude* estudios nivel_educativo instrucao wyksztalceni*"
        " vzdelani"
        " egitim* образовани* *(?:学历|学歴|학력)*",
    ),
    Rule(
        Q,
        "work",
        "*occupat* occup job* profession* workclass work_class employer* *industr* nace naics sic isco soc department*"
        " dept"
        " division* position* *title* beruf* ocupacion profesion* cargo funcao company business* rank military branche"
        " arbeitgeber abteilung* berufsgruppe"
        " stellung"
        " beroep* functie werkgever yrke* stilling erhverv ammatti toimiala professione occupazione profissao ocupacao"
        " emprego puesto empleo oficio metier poste emploi zawod stanowisko branza povolani zamestnani meslek*"
        " професси*"
        " должност* *(?:职业|職業|职位|직업)*",
    ),
    Rule(
        Q,
        "family or home",
        "famil*_(?:size|members) famsize children kids n_?kids h+size *household_size hh_?size household_(?:members"
        "|number)"
        " (?:num|number|n|no|anzahl|antall?|numero|nombre)_(?:of_|d_|de_)?(?:child*|kid*|dependent*|dependant*|kinder"
        "|barn|hijos|enfants"
        "|figli|filhos|persons|people) dependent* dependant* kinder kinderen haushaltsgro* enfants hijos filhos figli"
        " dzieci lasten_*"
        " deti cocuk* *(?:子供|家族人数|世帯人員)*",
    ),
)
"""What neighbours, colleagues, registers and social media know of most people."""
JUDGED = (
    Rule(
        OPEN,
        "work",
        "work* employ* hired hire* tenure contract* full_time part_time fulltime parttime full_part retire* milit*"
        " veteran*"
        " seniority years_at_* years_of_service assign* unemploy* manager",
    ),
    Rule(
        OPEN,
        "family or home",
        "famil* child* *household* hh parch relation* relat own owns owner* rent* *hous* home* room* dwelling* water"
        " roof wall*"
        " toilet* electric* bedroom* pet pets haushalt* hushall* husstand* hogar familia famiglia perhe* hane* rodzina",
    ),
    Rule(OPEN, "a form of address", "prefix suffix title", whole=True),
    Rule(OPEN, "a vehicle", "vehicle* car cars *fuel* engine power horsepower model* make brand* motor*"),
    Rule(
        OPEN,
        "looks",
        "height* weight eye* hair* hand handed* complexion shoe* grosse groesse gewicht lengte langd vikt hoyde vekt"
        " pituus"
        " paino altezza peso taille poids altura estatura wzrost waga vyska vaha boy kilo рост вес *(?:身高|体重"
        "|身長)*",
    ),
    Rule(
        OPEN,
        "an institution somebody deals with",
        "hospital* clinic* facility unit units ward wards provider* insurer* insurance* institution* bank branch"
        " agency physician* doctor* cabin specialty payer* krankenhaus klinik* ziekenhuis sykehus sjukhus sairaala"
        " hopital",
    ),
)
"""What some others may know: a person has to decide."""
QUASI = (RELATIVES, EVENTS, *KNOWN, *JUDGED)
