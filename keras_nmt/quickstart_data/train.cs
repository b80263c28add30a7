Vlak směr Bonn odjíždí v osm hodin z nástupiště šestnáct.
Kód k sejfu je sedm nula šest.
Vesnice má dvacet šest obyvatel.
Park je 1. června zavřený.
Ida čte čtrnáctou kapitolu.
Ulice má 23 domů.
Můj syn má pět psů a třicet šest knih.
Eva má schůzku dvacátého třetího prosince ve 21:50.
Silnice směr Kiel je dlouhá pět set kilometrů.
Thomas slaví narozeniny dvacátého čtvrtého dubna.
V bance je šest hostů.
Park otevírá každou sobotu ve dvě hodiny třicet pět minut.
Leo včera vyhrál zápas sedm čtyři.
Šedý stůl váží tři kilogramy.
Adam slaví narozeniny třicátého září.
Nora zůstane jedenáct let ve městě Nantes.
Muzeum je sedmnáctého prosince zavřené.
Náš strýc slaví 18. října šedesáté druhé narozeniny.
Julia slaví narozeniny prvního června.
Naše teta hraje na klavír každou sobotu v půl desáté.
Leo bydlí v Kostelní ulici 103.
Výlet trvá pět minut.
Nina má 10 koní a tři klíče.
Tramvaj směr Oxford neodjíždí v půl dvanácté, ale ve tři čtvrtě na šest.
Dám si čtyři pizzy a jednu polévku.
Kolik stojí dvacet sedm lžic?
Žlutá lampa stojí tři koruny.
Martin zůstane jedenáct let ve městě Ulm.
Naše matka zůstane šest let ve městě Oslo.
Můj syn včera vyhrál zápas tři dva.
Kolik stojí sedm klíčů?
Leo má telefonní číslo 238 704.
Padesát osm plus třicet sedm je devadesát pět.
Dám si pět čajů a dvě kávy.
Lampy stojí ve čtvrtek večer o dvacet procent méně.
Silnice směr York je dlouhá třicet osm kilometrů.
Oslava začíná v pátek 29. července v půl páté.
28 šálků a 36 lamp stojí dohromady 13 franků.
Autobus směr Ulm odjíždí ve čtvrt na šest z nástupiště dvacet.
Červený nůž stojí dva tisíce devět set dolarů.
Vlak směr Lyon odjíždí v sedm hodin z nástupiště třináct.
Kód k sejfu je pět jedna devět.
Naše sestra bydlí v Tržní ulici 29.
Svatba se koná v pátek v místnosti patnáct.
Naše sestra má schůzku zítra v jednu hodinu.
Silnice směr Dortmund je dlouhá dva kilometry.
Daniel má sedm ptáků a devatenáct lžic.
Kavárna je otevřená od pondělí do středy od 7:30 do 14:00.
Svatba je 15. června v 7:05.
Pět brambor a třicet pět květin stojí dohromady dvacet pět franků.
Kolik stojí šest květin?
Svatba se koná dvacátého prvního února v místnosti 30.
Kolik stojí 12 jablek?
Moje matka bydlí v Tržní ulici 70.
Můj otec bydlí v Lesní ulici 104.
Na podlaze leží třicet šest lahví.
Výlet začíná v pondělí dvacátého pátého května ve 20:10.
Eva má schůzku v sobotu v půl čtvrté.
Teplota ve městě Dublin je sedm stupňů.
Banka je otevřená od pátku do neděle od 8:15 do 17:15.
Náš syn se narodil dvacátého šestého října 1985.
Vesnice má patnáct obyvatel.
Max minulý pátek vyhrál zápas osm čtyři.
Moje sestra má pět koní a jedenáct časopisů.
Nora má telefonní číslo 341 707.
Autobus směr Bonn odjíždí ve tři čtvrtě na jedenáct z nástupiště šest.
Leo zůstane čtyři roky ve městě Lyon.
Patnáct časopisů a čtyřicet míčů stojí dohromady dva dolary.
Končí představení ve tři hodiny čtyřicet minut?
Teplota ve městě Rostock je 25 stupňů.
Trh otevírá každý čtvrtek ve dvě hodiny.
Moje matka pracuje ve čtrnáctém patře.
Dvacet tři jízdenek do města Bordeaux stojí devět korun.
Svatba se koná ve středu večer v místnosti pět.
Náš strýc hraje na klavír každou neděli v 18:30.
Tramvaj směr Leeds neodjíždí v půl jedenácté, ale v 11:05.
Vesnice má tisíc šest set padesát obyvatel.
Simon minulý pátek vyhrál zápas šest pět.
Max má pět ovcí a pět květin.
Autobus směr Bonn má třicet devět minut zpoždění.
Leo včera skončil na dvanáctém místě.
Teplota ve městě Rostock je 26 stupňů.
Odpověď je na straně čtyři.
Představení je v sobotu v půl třetí.
Julia slaví narozeniny 22. září.
Thomas slaví ve středu devadesáté druhé narozeniny.
Eva se narodila 30. listopadu tisíc devět set osmdesát pět.
Trh je v pátek ráno zavřený.
Dám si čtyři saláty a šest pizz.
Noční vlak směr Turku neodjíždí ve čtvrt na sedm, ale v jedenáct hodin.
Potřebujeme čtyři sta padesát gramů másla a sedm litrů vína.
Náš strýc bydlí v Kostelní ulici 32.
Náš strýc vstává v půl třetí.
Šest krát osm je čtyřicet osm.
Thomas loni skončil na devátém místě.
Norbert slaví narozeniny 14. října.
Končí výlet v 5:10?
Můj bratr slaví narozeniny devátého prosince.
Šest jízdenek do města Bonn stojí 35,65 eura.
Dám si šest salátů a tři kávy.
Naše dcera čte patnáctou kapitolu.
V zásuvce leží dvanáct pohlednic.
Oliver hraje na klavír každou neděli v deset hodin.
V krabici leží šestnáct míčů.
Končí výlet v půl jedenácté?
Viktor má devět koní a tři vejce.
Kavárna je otevřená od středy do neděle od 9:15 do 15:15.
Nádraží je otevřené od pondělí do středy od 6:15 do 20:30.
Zeď je vysoká dva metry.
Fotografie je na straně sedm.
Ulice je široká osmdesát šest metrů.
Sejdeme se 4. března ve čtvrt na devět v kavárně.
Potřebujeme 750 gramů cukru a čtyři litry džusu.
Dám si čtyři saláty a šest čajů.
Míč stojí jedno euro.
Porada je 29. června ve tři čtvrtě na osm.
Autobus směr Oslo neodjíždí v sedm hodin, ale v půl dvanácté.
Emma se narodila třetího března 2001.
Vlak směr Bonn odjíždí v sedm hodin z nástupiště 7.
Můj strýc snídá ve tři čtvrtě na pět.
V lednu jede Robert na osmnáct dní do města Bristol.
Silnice směr Cardiff je dlouhá 12 kilometrů.
Můj syn hraje fotbal každé úterý ve čtyři hodiny.
Zahrada má patnáct stromů.
Sedm krát tři je dvacet jedna.
Devět jablek a dvě lžíce stojí dohromady 22,20 dolaru.
Kolik stojí čtyři jablka?
Radnice je zítra zavřená.
Odpověď je na straně 156.
V září jede Sara na osm let do města Oxford.
Lea má schůzku dvacátého osmého prosince v pět hodin.
Divadlo bylo postaveno v roce 1757.
23 lamp a pět lahví stojí dohromady 47 dolarů.
Trh byl postaven v roce 1677.
37 míčů a třicet klobouků stojí dohromady jedenáct franků.
Vlak směr Oxford odjíždí ve 23:20 z nástupiště devatenáct.
Potřebujeme dvacet nožů.
Kolo stojí 18,45 koruny za měsíc.
Vlak směr Ulm odjíždí v 6:05 z nástupiště devět.
Jedenáct jízdenek do města Calais stojí jedenáct eur.
Můj dědeček slaví narozeniny dvacátého třetího srpna.
Moje matka zůstane čtyři měsíce ve městě Split.
Báseň je na straně třicet osm.
Žlutý citron stojí deset franků.
Moje sestra slaví narozeniny 1. srpna.
Kolik stojí osm knih?
Padesát čtyři minus dvacet jedna je třicet tři.
Teplota ve městě Cardiff je dvacet stupňů.
Šest krát devět je padesát čtyři.
Kolik stojí dvacet devět šálků?
Našemu synovi je dvacet čtyři let.
Oslava trvá pět týdnů.
Náš bratr minulý měsíc vyhrál zápas pět jedna.
Kód ke garáži je pět šest sedm jedna.
Modrý počítač váží pět kilogramů.
Potřebujeme devatenáct šálků.
Na trhu je devatenáct turistů.
Nina kupuje 28 časopisů za čtyři koruny.
Muzeum je dnes zavřené.
Pod postelí leží dvě vejce.
Můj dědeček vaří každou středu v jedenáct hodin.
Naše sestra má schůzku šestnáctého března ve čtyři hodiny.
Naše sestra minulý čtvrtek skončila na desátém místě.
Pod postelí leží tři lampy.
Náš otec vaří každou sobotu ve tři čtvrtě na deset.
Čtyři jízdenky do města Oslo stojí osm dolarů.
Moje sestra se narodila devátého května 1959.
Našemu dědečkovi je čtyřicet devět let.
Emma kupuje osm časopisů za šest dolarů.
Let sedm set dvacet směr Malmö přistává ve 22:10.
Představení začíná za pět dní.
Náš syn čte třicátou první kapitolu.
Byt stojí 48 korun za měsíc.
Muzeum otevírá každý pátek v půl dvanácté.
Sejdeme se v úterý ve tři čtvrtě na sedm v muzeu.
Teplota ve městě Oslo je 16 stupňů.
Emma zůstane dva roky ve městě Turku.
Dům stojí 11,15 koruny za týden.
Končí koncert v pět hodin?
34 košil a tři knihy stojí dohromady tři franky.
Leo minulé pondělí skončil na jedenáctém místě.
Kufry stojí v neděli ráno o šedesát pět procent méně.
Moje teta pracuje v šestnáctém patře.
Emma má telefonní číslo 424 747.
Kolik stojí jedna pohlednice?
Adam pracuje v sedmém patře.
Knihovna má 96 knih.
Moje teta kupuje pět lamp za dva tisíce osm set dolarů.
Daniel hraje fotbal každý pátek v půl dvanácté.
Třicet jedna plus dvacet dva je padesát tři.
Potřebujeme tři klíče.
Kód ke kufru je šest jedna devět dva.
Leo kupuje sedm knih za sedmdesát sedm eur.
Naše teta kupuje osm jablek za jedno euro.
Sejdeme se sedmnáctého září ve tři čtvrtě na sedm v parku.
Kabát váží devět kilogramů.
Vejce stojí v sobotu odpoledne o deset procent méně.
Ulice má čtyřicet sedm domů.
Teplota ve městě Madrid je dvacet devět stupňů.
Počasí ve městě Lyon bude v úterý večer suché.
Robert hraje fotbal každý pátek v půl desáté.
Naše sestra čte druhou kapitolu.
Šedý kabát váží 46 kilogramů.
V červnu jede naše matka na osm let do města Leeds.
Můj strýc čte třicátou pátou kapitolu.
Sejdeme se 27. května v sedm hodin v restauraci.
Můj otec má schůzku v pátek ve tři čtvrtě na čtyři.
Moje sestra slaví osmnáctého dubna osmdesáté druhé narozeniny.
Představení je 30. července v půl sedmé.
Daniel minulý čtvrtek vyhrál zápas pět čtyři.
V lednu jede náš dědeček na sedm dní do města Calais.
Teplota ve městě Leeds je jedenáct stupňů.
Mému strýci je padesát pět let.
Svatba začíná ve čtvrtek dvacátého čtvrtého května v půl desáté.
Zámek je otevřený od středy do pátku od 11:45 do 22:45.
Našemu strýci je čtyřicet sedm let.
Potřebujeme 37 šálků.
Let osm set devadesát devět směr Porto přistává v šest hodin dvacet minut.
Bílý klobouk stojí tři dolary.
Tramvaj směr Dortmund odjíždí ve čtvrt na tři z nástupiště osmnáct.
Viktor se narodil osmnáctého března dva tisíce dva.
Vlak směr Oslo má dvacet šest minut zpoždění.
Autobus směr Split odjíždí ve čtyři hodiny z nástupiště 5.
Naše dcera minulý týden vyhrála zápas čtyři dva.
Časopisy stojí ve středu o čtyřicet pět procent méně.
Pět jízdenek do města Turku stojí třicet tři eur.
Oslava začíná za jedenáct hodin.
Sejdeme se 19. listopadu ve čtvrt na deset v bance.
Na židli leží sedm lamp.
Dva krát tři je šest.
Recept je na straně sto devadesát čtyři.
Naše sestra se narodila dvacátého druhého listopadu tisíc devět set šedesát čtyři.
V divadle je jedenáct žen.
Let 672 směr Madrid přistává v 11:30.
Pět krát tři je patnáct.
Končí výlet v sedm hodin?
Viktor má devět ovcí a 24 lžic.
Potřebujeme čtyři láhve.
Dám si dvě kávy a čtyři čaje.
Kurz trvá 30 minut.
V kuchyni leží dvacet tužek.
Stůl váží sedm kilogramů.
Kolik stojí deset míčů?
Julia kupuje dvě lžíce za 35,10 eura.
Naše dcera má schůzku zítra v osm hodin.
Daniel vstává v šest hodin dvacet minut.
Autobus směr Malmö má osm minut zpoždění.
Dvacet čtyři tužek a 24 klobouků stojí dohromady šest eur.
Počasí ve městě Bordeaux bude třetího února bouřlivé.
Oliver kupuje 16 pohlednic za dvanáct dolarů.
Kód k sejfu je osm pět pět.
Můj bratr loni koupil jeden nůž a jedenáct míčů.
Let 302 směr Malmö přistává v půl jedenácté.
Maria slaví narozeniny 26. dubna.
Dám si šest piv a čtyři kávy.
Zkouška trvá dva dny.
Přednáška je sedmnáctého února v devět hodin.
Silnice směr Rostock je dlouhá šedesát pět kilometrů.
V zásuvce leží 10 lahví.
Sara bydlí v Květinové ulici 3.
Koncert začíná v sobotu devatenáctého listopadu ve 23:25.
Byt stojí 34,85 franku za měsíc.
Naše babička má telefonní číslo 789 977.
Teplota ve městě Leeds je minus šest stupňů.
Nora slaví ve středu sedmdesáté narozeniny.
Kurz je patnáctého srpna ve čtvrt na deset.
Sara má sedm ptáků a 11 citronů.
Kód ke dveřím je osm nula čtyři šest.
Oslava je v pátek ve čtyři hodiny.
Knihovna je otevřená od pondělí do středy od 11:00 do 16:30.
Na nádraží je 15 mužů.
Trh otevírá každé úterý v pět hodin dvacet pět minut.
Potřebujeme tři sta gramů mouky a osm litrů vody.
Ve škole jsou tři děti.
V listopadu jede Julia na šest týdnů do města Rostock.
Výlet je ve čtvrtek v půl dvanácté.
Vlak směr Nantes má 37 minut zpoždění.
Fotografie je na straně čtyřicet jedna.
Sejdeme se dvacátého šestého května ve tři čtvrtě na dvě na zámku.
Kolik stojí osm lahví?
Julia slaví narozeniny 26. června.
Daniel má schůzku v pondělí ve čtyři hodiny.
Výlet je dnes v jednu hodinu.
Porada je ve středu v deset hodin.
Představení je v úterý ve tři čtvrtě na jedenáct.
Mé matce je 43 let.
Mé sestře jsou čtyři roky.
Kurz začíná v úterý 21. září v půl páté.
Martin zůstane osm týdnů ve městě Lyon.
Autobus směr Madrid má 24 minut zpoždění.
Film se koná v úterý v místnosti 2.
Trh byl postaven v roce tisíc šest set dvacet jedna.
Seznam je na straně deset.
Norbert slaví 11. dubna páté narozeniny.
Dám si čtyři dorty a čtyři polévky.
Pokoj stojí padesát pět eur za týden.
Počasí ve městě Nantes bude ve čtvrtek deštivé.
Zelený stůl váží 37 kilogramů.
Mému otci je 56 let.
Maria čte dvacátou kapitolu.
Končí zápas v půl desáté?
Brambory stojí v sobotu odpoledne o deset procent méně.
Končí výlet v půl deváté?
Norbert se narodil 21. dubna dva tisíce jedenáct.
Daniel minulý pátek vyhrál zápas pět čtyři.
Park je otevřený od pondělí do úterý od 7:30 do 19:45.
V červnu jede náš syn na tři týdny do města Oslo.
Laura zůstane pět týdnů ve městě Ulm.
Maria má telefonní číslo 794 624.
Kolo váží sedm kilogramů.
Odpověď je na straně 27.
Autobus směr Rostock má čtyři minuty zpoždění.
Loď je dlouhá sedm metrů.
Kurz se koná třetího dubna v místnosti sto jedna.
Vlak směr Rostock neodjíždí v osm hodin čtyřicet minut, ale v jednu hodinu.
Potřebujeme 23 časopisů.
Končí představení v jedenáct hodin padesát minut?
Moje babička má telefonní číslo 786 191.
Počítač váží pět kilogramů.
Naše sestra minulý měsíc vyhrála zápas pět tři.
Kolik stojí jeden časopis?
Anna minulý čtvrtek koupila dvacet osm lamp a dvacet tři květin.
Ida má telefonní číslo 376 430.
Tramvaj směr Bergen má dvacet čtyři minut zpoždění.
Náš strýc má telefonní číslo 353 952.
Žlutý kabát váží 12 kilogramů.
Clara slaví devatenáctého března čtyřicáté druhé narozeniny.
V košíku leží třicet šest knih.
Tramvaj směr Madrid neodjíždí v šest hodin třicet pět minut, ale ve čtvrt na dvanáct.
Thomas loni vyhrál zápas pět tři.
Oslava trvá deset dní.
Kurz je v pátek v osm hodin.
Simon čte třicátou kapitolu.
Sejdeme se v úterý v půl sedmé v divadle.
Let devět set dvacet čtyři směr Turku přistává ve tři čtvrtě na deset.
Restaurace je otevřená od čtvrtka do neděle od 10:30 do 16:30.
Náš syn bydlí v Nádražní ulici 88.
Třicet šest minus dvacet osm je osm.
Potřebujeme šest set gramů rýže a 12 litrů oleje.
Pět krát dva je deset.
Koncert se koná ve čtvrtek v místnosti 24.
Můj dědeček slaví ve čtvrtek sedmdesáté šesté narozeniny.
Můj dědeček minulý měsíc koupil čtyři knihy a patnáct lahví.
Knihovna byla postavena v roce tisíc devět set šestnáct.
Naše dcera kupuje třicet pět vajec za 19 franků.
Autobus směr Dortmund odjíždí ve čtvrt na devět z nástupiště 5.
Laura má schůzku jedenáctého září v 5:30.
Řeka je široká osmdesát čtyři metrů.
Dva klíče a osm časopisů stojí dohromady šedesát pět korun.
Třicet osm časopisů a dvacet šest míčů stojí dohromady 36,40 koruny.
Náš syn pracuje ve druhém patře.
Auto stojí devadesát šest eur za měsíc.
V restauraci je 59 dětí.
Restaurace otevírá každou sobotu v půl druhé.
Potřebujeme pět set gramů sýra a šest litrů vína.
Julia zůstane sedm měsíců ve městě Rostock.
Oslava je zítra v půl třetí.
Můj syn se narodil jedenáctého července tisíc devět set devadesát čtyři.
Tři jízdenky do města Cardiff stojí dvě koruny.
Simon má deset psů a devět míčů.
Oslava začíná v neděli 8. března ve 23:35.
Výlet trvá třináct minut.
Autobus směr Nantes má šest minut zpoždění.
Hotel byl postaven v roce 1659.
Norbert slaví v neděli třicáté první narozeniny.
Svatba je dnes ve dvě hodiny.
Padesát šest plus dvacet šest je osmdesát dva.
Byt stojí dva tisíce sto padesát franků za týden.
Sara minulý měsíc vyhrála zápas sedm tři.
Mému otci je 43 let.
Nora včera vyhrála zápas dva jedna.
Zápas trvá pět dní.
V prosinci jede naše teta na 15 dní do města Malmö.
Robert slaví dvacátého prvního dubna šestnácté narozeniny.
Škola má 20 žáků.
Thomas minulou sobotu koupil 28 lahví a 33 pohlednic.
Restaurace je otevřená od pátku do soboty od 10:45 do 17:45.
Počítač váží deset kilogramů.
Hotel otevírá každé pondělí v šest hodin.
Náš bratr má schůzku sedmnáctého ledna ve čtvrt na tři.
Kolik stojí čtyři časopisy?
Julia má telefonní číslo 241 786.
Maria pracuje v osmém patře.
Moje teta kupuje 33 jablek za 2400 franků.
Naše teta slaví narozeniny 20. září.
Počasí ve městě Calais bude dnes oblačné.
Zeď je vysoká 40 metrů.
Moje sestra slaví narozeniny devatenáctého prosince.
Leo se narodil 25. dubna tisíc devět set padesát čtyři.
Banka je v pátek odpoledne zavřená.
Sejdeme se zítra v 7:45 v kavárně.
Adam slaví dnes dvacáté druhé narozeniny.
Odpověď je na straně osmnáct.
Počasí ve městě Rostock bude v úterý ráno slunečné.
Představení se koná 14. října v místnosti deset.
V únoru jede naše sestra na pět let do města Oslo.
Obraz váží čtyři kilogramy.
Teplota ve městě Split je minus dvanáct stupňů.
V divadle je třicet tři turistů.
Kód k sejfu je nula pět jedna.
Adam má dvanáct koní a sedm tužek.
Stůl váží 58 kilogramů.
Noční vlak směr Split odjíždí v sedm hodin z nástupiště osmnáct.
Autobus směr York odjíždí v pět hodin z nástupiště 20.
Adam slaví 16. března šedesáté třetí narozeniny.
Naše teta čte dvacátou sedmou kapitolu.
Počasí ve městě Oslo bude v úterý odpoledne deštivé.
Vlak směr Kiel odjíždí v 18:50 z nástupiště sedm.
Šedý obraz váží devět kilogramů.
Banka je otevřená od středy do neděle od 11:00 do 22:00.
Teplota ve městě Nantes je osmnáct stupňů.
Odpověď je na straně devadesát jedna.
Film začíná v pátek pátého prosince ve 20:15.
Simon slaví narozeniny 3. října.
Film trvá 44 minut.
Teplota ve městě Madrid je minus tři stupně.
Eva bydlí v Květinové ulici 69.
Laura plave každý pátek ve čtvrt na sedm.
Max pracuje v sedmém patře.
Kolik stojí 38 klíčů?
Koberec váží čtyři kilogramy.
Vlak směr Bonn neodjíždí v 11:10, ale v půl desáté.
Kód k telefonu je pět šest tři.
Vlak směr Leeds neodjíždí ve čtvrt na osm, ale v pět hodin.
Teplota ve městě Dortmund je minus třicet čtyři stupňů.
Byt stojí 16,25 eura za měsíc.
Dám si čtyři pizzy a dvě kávy.
Dám si jednu polévku a dva čaje.
Kolik stojí 39 květin?
Kolik stojí 18 klobouků?
Porada začíná v sobotu 2. srpna v osm hodin padesát minut.
Kolik stojí jedenáct lamp?
Silnice směr Oslo je dlouhá deset kilometrů.
Naše sestra minulé pondělí vyhrála zápas šest čtyři.
Daniel zůstane 18 dní ve městě Lyon.
Pod postelí leží osmnáct knih.
Na podlaze leží třicet pět tužek.
Let 877 směr Bordeaux přistává v půl jedenácté.
Dvě jízdenky do města Lyon stojí šest korun.
V parku je padesát sedm hostů.
Muzeum otevírá každé úterý ve 22:30.
Adam se narodil desátého dubna 2000.
Adam se narodil sedmého února 1992.
Odpověď je na straně 19.
Let 938 směr Leeds přistává v jedenáct hodin.
V kuchyni leží tři košile.
Julia slaví narozeniny osmého října.
Sara má čtyři krávy a sedm lžic.
Let osm set tři směr Calais přistává ve dvě hodiny deset minut.
V parku jsou čtyři muži.
Dám si čtyři kávy a jedno pivo.
Garáž stojí dva tisíce sto padesát eur za týden.
Autobus směr Bristol odjíždí ve tři čtvrtě na pět z nástupiště 13.
Emma slaví narozeniny 19. ledna.
Začínáme pracovat ve čtvrt na šest.
Knihovna byla postavena v roce 1768.
Můj dědeček večeří v jedenáct hodin.
Porada trvá sedm minut.
Nora kupuje osm míčů za šest dolarů.
Zámek byl postaven v roce 1612.
Silnice směr Bordeaux je dlouhá čtyři kilometry.
Zápas se koná ve čtvrtek v místnosti tři sta osmnáct.
Zápas trvá jedenáct hodin.
Viktor má sedm ptáků a 28 lžic.
Kolo stojí 28,35 eura za týden.
Autobus směr Bonn neodjíždí ve 20:20, ale v osm hodin padesát pět minut.
V krabici leží 19 pohlednic.
Kniha stojí devadesát devět eur.
Šedý časopis stojí 11,25 franku.
Potřebujeme 50 gramů rýže a dva litry vína.
Nádraží je zítra zavřené.
Představení začíná za šest týdnů.
Sara pracuje ve třináctém patře.
Adam čte dvacátou devátou kapitolu.
Mé tetě je 77 let.
Vlak směr Lyon má 26 minut zpoždění.
Naše babička bydlí v Školní ulici 23.
Počasí ve městě Calais bude ve čtvrtek večer chladné.
Adam zůstane sedm týdnů ve městě Kiel.
Divadlo má devatenáct míst.
Oslava začíná v úterý sedmého března ve 21:45.
Maria kupuje deset míčů za tisíc devět set korun.
Porada se koná dnes v místnosti 236.
Lea se narodila 28. července tisíc devět set sedmdesát pět.
Dva šálky a pět lžic stojí dohromady třináct dolarů.
Čtyři knihy a sedm brambor stojí dohromady 10 franků.
Teplota ve městě Cardiff je dvacet osm stupňů.
Pod postelí leží pět jablek.
Devět krát šest je padesát čtyři.
Naše sestra bydlí v Zámecké ulici 51.
Robert bydlí v Květinové ulici 22.
Na podlaze leží devět pohlednic.
Emma pracuje ve třináctém patře.
Věž je vysoká dvanáct metrů.
Potřebujeme 200 gramů mouky a jeden litr mléka.
Dám si dva čaje a jeden dort.
Norbert zůstane pět dní ve městě Madrid.
V muzeu je osm dětí.
Báseň je na straně tři sta dvacet.
Noční vlak směr Ulm neodjíždí v deset hodin třicet pět minut, ale v půl sedmé.
Náš bratr slaví dnes třicáté deváté narozeniny.
Výlet je zítra ve tři čtvrtě na jedenáct.
Počasí ve městě Bonn bude 8. listopadu suché.
Náš syn minulou neděli vyhrál zápas pět čtyři.
Robert minulé úterý skončil na devátém místě.
Kolo stojí 50 korun za týden.
Kola stojí v pátek o patnáct procent méně.
Leo má šest koní a čtyři květiny.
Kino bylo postaveno v roce 1954.
Film je čtrnáctého března v devět hodin.
Adresa je na straně 13.
Divadlo má šestnáct míst.
Čtyři krát pět je dvacet.
Sara kupuje 10 klobouků za 2150 dolarů.
Zkouška začíná v sobotu devátého dubna ve čtvrt na tři.
Ulice má šestnáct domů.
V zásuvce leží sedmnáct míčů.
Teplota ve městě Nantes je minus šest stupňů.
Škola má tisíc devět set žáků.
Teplota ve městě Kiel je tři stupně.
Zkouška začíná za osm hodin.
David minulou sobotu koupil dvanáct lžic a sedm časopisů.
Noční vlak směr Rostock neodjíždí ve tři čtvrtě na dvě, ale ve tři čtvrtě na čtyři.
Kolo stojí 23,90 franku.
Tři květiny a 37 klíčů stojí dohromady třicet pět dolarů.
Pokoj stojí osmdesát tři dolarů za týden.
Koncert trvá jednu hodinu.
Náš strýc slaví pátého června osmdesáté narozeniny.
Košile stojí v sobotu o padesát procent méně.
V září jede Anna na tři roky do města Calais.
Seznam je na straně osmdesát šest.
Jedna jízdenka do města Madrid stojí dva tisíce osm set franků.
Sejdeme se ve čtvrtek ve čtyři hodiny v hotelu.
Na nádraží je čtrnáct mužů.
Oslava se koná ve čtvrtek večer v místnosti osm.
Zeď je vysoká 29 metrů.
Svatba je dnes v půl jedenácté.
Obraz stojí sedm franků.
Kolo váží jeden kilogram.
Viktor loni skončil na sedmnáctém místě.
Byt stojí 14,20 dolaru za den.
Teplota ve městě Split je minus dvacet šest stupňů.
Náš bratr zůstane sedm týdnů ve městě Turku.
Adam čte šestou kapitolu.
Ida se učí anglicky každé úterý ve tři čtvrtě na pět.
Clara minulou středu vyhrála zápas osm dva.
Náš otec bydlí v Zahradní ulici 3.
12 jízdenek do města Ulm stojí 34 eur.
Daniel obědvá v 18:20.
Potřebujeme 40 lžic.
Naše teta kupuje sedm nožů za 6,85 eura.
Dvě jízdenky do města Bonn stojí dva tisíce dolarů.
Padesát dva minus dvacet čtyři je dvacet osm.
Náš strýc pracuje v desátém patře.
Norbert má schůzku ve středu v 17:05.
Potřebujeme padesát gramů mouky a čtyři litry vody.
Kavárna otevírá každý čtvrtek v půl dvanácté.
Autobus směr Turku odjíždí v šest hodin z nástupiště 17.
Teplota ve městě Ulm je 13 stupňů.
Silnice směr Split je dlouhá dva kilometry.
Můj bratr kupuje pět květin za 12,75 koruny.
Náš bratr kupuje 27 vajec za dvacet tři franků.
Báseň je na straně 7.
Autobus směr Rostock má 10 minut zpoždění.
Končí kurz ve dvě hodiny dvacet pět minut?
Julia slaví 18. prosince sedmdesáté druhé narozeniny.
Vlak směr Bristol odjíždí v 16:15 z nástupiště osmnáct.
Garáž stojí 5,65 koruny za měsíc.
Dám si pět čajů a dvě piva.
Dám si čtyři čaje a pět salátů.
Osm jízdenek do města Kiel stojí 11 eur.
Vesnice má dvacet pět obyvatel.
Kolik stojí čtrnáct klíčů?
Počasí ve městě Leeds bude 17. března mlhavé.
Potřebujeme sto gramů sýra a jeden litr oleje.
Loď je dlouhá dvanáct metrů.
Divadlo má dvacet tři míst.
Našemu otci je čtyřicet sedm let.
Let 562 směr Bonn přistává v 7:40.
Sejdeme se zítra v 16:15 v muzeu.
Nina slaví v pátek dvacáté druhé narozeniny.
Maria minulé úterý vyhrála zápas osm pět.
Počasí ve městě Rostock bude 25. ledna větrné.
Dvanáct lahví a dvanáct pohlednic stojí dohromady padesát devět dolarů.
Silnice směr Bordeaux je dlouhá sedm kilometrů.
Potřebujeme čtrnáct knih.
Potřebujeme osm knih.
Kód ke kufru je dva čtyři tři pět.
Pokoj stojí 3,35 eura za měsíc.
Dám si tři piva a pět dortů.
Můj bratr kupuje osmnáct citronů za 9,55 franku.
Restaurace otevírá každou neděli ve čtvrt na pět.
Anna slaví dvacátého třetího srpna první narozeniny.
Tramvaj směr Porto má 56 minut zpoždění.
Můj otec čte čtyřicátou kapitolu.
Trh otevírá každou středu ve čtvrt na čtyři.
Vlak směr Dublin odjíždí v deset hodin z nástupiště 9.
Vlak směr Porto má čtyřicet sedm minut zpoždění.
Pod postelí leží sedm klíčů.
Počasí ve městě Nantes bude 9. března suché.
Můj strýc zůstane 15 dní ve městě Oslo.
Kód ke sklepu je dva šest devět.
Potřebujeme sto padesát gramů masa a 10 litrů vody.
Vlak směr Lyon neodjíždí ve dvě hodiny deset minut, ale ve čtvrt na pět.
Člun stojí dvacet šest franků za den.
Let 732 směr Ulm přistává v 7:35.
Škola má šestnáct žáků.
Zelený míč stojí dva tisíce čtyři sta padesát dolarů.
Silnice směr Bristol je dlouhá sedm set padesát kilometrů.
Knihovna otevírá každý čtvrtek v jednu hodinu dvacet minut.
Kolik stojí čtyři citrony?
Náš otec kupuje 11 klíčů za tisíc osm set padesát eur.
V srpnu jede Thomas na dva měsíce do města Nantes.
Simon má telefonní číslo 698 164.
Naše babička bydlí v Lesní ulici 8.
Silnice směr Oslo je dlouhá čtyři kilometry.
Banka je otevřená od pátku do soboty od 9:45 do 16:15.
Přednáška je druhého září v jednu hodinu.
Tramvaj směr Dortmund má dvacet tři minut zpoždění.
Vlak směr Bonn odjíždí v 16:45 z nástupiště 18.
Emma minulou sobotu skončila na desátém místě.
Potřebujeme dvě stě gramů másla a osm litrů mléka.
Můj bratr bydlí v Zahradní ulici 27.
Vstáváme v 7:15.
Pokoj stojí sedmdesát devět dolarů za měsíc.
Banka je otevřená od úterý do soboty od 9:45 do 15:00.
Končí svatba v 11:55?
Naše matka loni koupila 30 lžic a pět časopisů.
Obrazy stojí v sobotu večer o deset procent méně.
Počasí ve městě Bergen bude ve čtvrtek ráno oblačné.
V restauraci je dvanáct studentů.
Potřebujeme dvě tužky.
Náš dědeček slaví narozeniny osmnáctého září.
Dám si tři pizzy a jednu polévku.
Kavárna je otevřená od čtvrtka do soboty od 11:30 do 20:30.
Jedenáct jízdenek do města York stojí 1700 dolarů.
Maria má devět ptáků a tři košile.
Tramvaj směr Dortmund neodjíždí v 5:50, ale v 17:15.
Vlak směr Porto odjíždí v půl deváté z nástupiště třináct.
Emma zůstane dva měsíce ve městě Oslo.
Restaurace byla postavena v roce 1895.
V divadle je jedenáct mužů.
Můj dědeček má schůzku v pondělí v jedenáct hodin dvacet pět minut.
Kolik stojí 29 jablek?
Oliver minulé pondělí koupil pět klobouků a třicet šest tužek.
Autobus směr Bordeaux odjíždí v šest hodin padesát pět minut z nástupiště 6.
Počasí ve městě Bonn bude v pátek večer teplé.
Zápas začíná v pátek dvacátého sedmého srpna v 8:05.
Eva má telefonní číslo 711 987.
Dvě jízdenky do města Bristol stojí dvacet pět franků.
Noční vlak směr York odjíždí ve tři čtvrtě na deset z nástupiště 14.
Martin slaví zítra padesáté páté narozeniny.
Adresa je na straně 3.
Sejdeme se dvacátého šestého června ve čtvrt na jedenáct v hotelu.
Autobus směr Lyon neodjíždí ve čtyři hodiny, ale ve tři čtvrtě na jedenáct.
Končí film ve 21:35?
Potřebujeme dvě stě padesát gramů rýže a jedenáct litrů vody.
Můj bratr minulé úterý skončil na šestém místě.
Osm jízdenek do města Dublin stojí dva tisíce dvě stě eur.
Naše babička vaří každý čtvrtek ve tři čtvrtě na čtyři.
Naše sestra minulý čtvrtek vyhrála zápas osm tři.
Patnáct jízdenek do města Split stojí 11 eur.
Moje dcera bydlí v Zahradní ulici 77.
Moje sestra včera vyhrála zápas sedm jedna.
Tramvaj směr Madrid odjíždí ve čtvrt na osm z nástupiště devět.
Květiny stojí v úterý odpoledne o sedmdesát procent méně.
Oslava se koná ve středu v místnosti padesát tři.
Nora minulý týden vyhrála zápas čtyři dva.
Dám si tři saláty a tři pizzy.
Thomas včera vyhrál zápas dva jedna.
Oliver hraje fotbal každé úterý ve tři čtvrtě na jedenáct.
Řeka je široká čtyři metry.
Náš otec minulou sobotu koupil deset vajec a čtyři lampy.
Můj syn snídá ve tři čtvrtě na čtyři.
Kolik stojí třicet pět šálků?
Kolik stojí čtyři tužky?
Martin má 11 krav a 12 klíčů.
Našemu dědečkovi je osmdesát čtyři let.
Silnice směr Nantes je dlouhá jeden kilometr.
V únoru jede můj bratr na osm let do města Lyon.
Devadesát šest minus třicet devět je padesát sedm.
Škola byla postavena v roce 1957.
Simon včera skončil na sedmém místě.
Nádraží bylo postaveno v roce tisíc sedm set třicet pět.
Park je otevřený od čtvrtka do neděle od 7:30 do 18:30.
Můj dědeček zůstane šest dní ve městě Ulm.
Divadlo je v neděli odpoledne zavřené.
Řeka je široká jedenáct metrů.
Přednáška se koná v sobotu v místnosti padesát dva.
Porada se koná v pátek odpoledne v místnosti 182.
Potřebujeme jeden míč.
Sejdeme se ve středu v jedenáct hodin na zámku.
Počasí ve městě Oxford bude v neděli suché.
Restaurace je otevřená od čtvrtka do soboty od 10:15 do 16:00.
V krabici leží šest klobouků.
Knihovna byla postavena v roce 1763.
Židle stojí sedmdesát čtyři eur.
Dám si jeden dort a pět čajů.
Autobus směr Bristol odjíždí v osm hodin z nástupiště šestnáct.
Můj strýc slaví ve čtvrtek devadesáté čtvrté narozeniny.
Moje teta má schůzku v pondělí ve tři čtvrtě na sedm.
Adam slaví narozeniny 24. června.
Kolik stojí 10 citronů?
Simon slaví dvacátého šestého března čtyřicáté sedmé narozeniny.
Maria hraje fotbal každý pátek v půl druhé.
Vstáváme v osm hodin čtyřicet minut.
Autobus směr Dublin má 50 minut zpoždění.
Kola stojí ve středu večer o šedesát procent méně.
Zelený počítač stojí 48 franků.
Náš otec se učí anglicky každou sobotu ve tři čtvrtě na jedenáct.
Šedý stůl váží osm kilogramů.
Noční vlak směr Dublin má sedm minut zpoždění.
Teplota ve městě Porto je 25 stupňů.
Ve škole je 20 hostů.
Výlet je v pondělí ve tři čtvrtě na osm.
Dám si čtyři dorty a pět piv.
Tramvaj směr Dublin má třináct minut zpoždění.
Sejdeme se pátého června ve 21:10 v kavárně.
Vlak směr Rostock má dvacet tři minut zpoždění.
Bílý časopis stojí tisíc tři sta eur.
Sara včera koupila 18 brambor a pět nožů.
Moje sestra pracuje v jedenáctém patře.
Sejdeme se ve čtvrtek ve tři čtvrtě na šest v hotelu.
Noční vlak směr Madrid má osm minut zpoždění.
Náš strýc má tři psy a jedenáct květin.
Košile stojí v sobotu ráno o padesát pět procent méně.
Naše dcera pracuje každý čtvrtek v 16:30.
Hotel má dvacet pokojů.
Třicet pět lamp a deset časopisů stojí dohromady šedesát čtyři eur.
Dám si čtyři saláty a čtyři kávy.
Daniel má schůzku dnes ve dvě hodiny.
Julia čte dvacátou šestou kapitolu.
Končí zápas ve 14:55?
Teplota ve městě Bristol je minus dvacet sedm stupňů.
Dám si čtyři saláty a tři dorty.
Náš syn kupuje tři jablka za 22,60 eura.
Zkouška trvá deset týdnů.
Vesnice má 1650 obyvatel.
Daniel minulý pátek skončil na osmém místě.
Zahrada je dlouhá šest metrů.
Leo hraje šachy každou neděli v půl jedenácté.
V prosinci jede náš bratr na osm let do města Rostock.
Kód ke garáži je šest osm nula šest.
V prosinci jede Nora na devět měsíců do města Oslo.
Dvacet osm plus sedmnáct je čtyřicet pět.
Noční vlak směr Malmö odjíždí v pět hodin deset minut z nástupiště tři.
V košíku leží dvacet sedm brambor.
Zahrada je dlouhá devět metrů.
Jedna košile a 12 nožů stojí dohromady 11,80 franku.
Knihovna byla postavena v roce 1790.
Červený počítač váží třicet pět kilogramů.
Dám si dva saláty a čtyři kávy.
Autobus směr Rostock má šest minut zpoždění.
Končí svatba v půl osmé?
Náš strýc začíná pracovat v 7:25.
Leo pracuje v šestém patře.
Dám si tři saláty a tři polévky.
Dům stojí 24 eur za den.
Výlet začíná za 23 minut.
Počasí ve městě Calais bude v pátek ráno chladné.
Silnice směr Ulm je dlouhá osm kilometrů.
Čtyřicet jablek a devět klíčů stojí dohromady 64 eur.
10 lamp a osm citronů stojí dohromady 66 eur.
Jedno vejce a 16 knih stojí dohromady 250 dolarů.
Přednáška se koná 26. února v místnosti dvacet pět.
Potřebujeme 350 gramů cukru a deset litrů vody.
Lea má schůzku v pondělí ve čtyři hodiny čtyřicet minut.
Naše sestra loni koupila osm citronů a dva šálky.
Autobus směr Kiel má čtyřicet minut zpoždění.
Škola je v neděli odpoledne zavřená.
Sejdeme se zítra ve 20:50 v restauraci.
11 jízdenek do města Calais stojí jedenáct korun.
Čtyři lampy a tři nože stojí dohromady devět eur.
Ulice je široká třicet čtyři metrů.
Nina minulý pátek koupila třináct míčů a sedm citronů.
Dva krát osm je šestnáct.
Noční vlak směr Nantes odjíždí v 9:55 z nástupiště tři.
Thomas minulý měsíc skončil na šestnáctém místě.
Pohlednice stojí dva tisíce osm set padesát eur.
Radnice je v pátek zavřená.
Pod postelí leží 10 šálků.
Sejdeme se 30. července v deset hodin v knihovně.
Naše babička zůstane čtyři měsíce ve městě Lyon.
Ve škole je jedenáct dětí.
Muzeum je 11. října zavřené.
Můj strýc má schůzku v neděli v šest hodin padesát minut.
Restaurace je otevřená od úterý do středy od 9:00 do 17:45.
Tramvaj směr Calais odjíždí ve dvě hodiny třicet pět minut z nástupiště 14.
Láhev stojí devět korun.
Potřebujeme šest citronů.
Kavárna je otevřená od středy do neděle od 9:00 do 16:15.
Kód ke sklepu je tři čtyři pět.
Můj strýc zůstane devět týdnů ve městě Madrid.
Nože stojí v pátek večer o padesát pět procent méně.
V muzeu je sedmnáct turistů.
Nina má schůzku v pátek ve čtvrt na pět.
Ida kupuje devatenáct tužek za sedm franků.
Naše sestra zůstane dva dny ve městě Nantes.
Šest košil a osm květin stojí dohromady 32,20 koruny.
Kód ke dveřím je sedm dva sedm.
Náš dědeček se narodil 12. října tisíc devět set osmdesát čtyři.
Počasí ve městě Bordeaux bude dvacátého šestého září teplé.
Moje dcera pracuje ve čtrnáctém patře.
Šedá židle váží jedenáct kilogramů.
Viktor má schůzku 13. ledna ve čtyři hodiny.
Končí zápas ve 22:20?
Můj strýc slaví narozeniny pátého června.
26 jízdenek do města Calais stojí 22,70 franku.
Nora má jedenáct koní a čtyři láhve.
Našemu otci je šedesát sedm let.
Max má schůzku v sobotu ve čtvrt na deset.
Vlak směr Oxford neodjíždí v půl druhé, ale ve tři čtvrtě na šest.
Moje dcera bydlí v Lesní ulici 99.
Kurz je 6. března v půl druhé.
Nůž stojí čtyři koruny.
V restauraci je třináct hostů.
Zkouška trvá šest minut.
Svatba začíná za sedm hodin.
Daniel hraje šachy každý čtvrtek v osm hodin.
Let devět set osm směr Kiel přistává ve tři čtvrtě na devět.
V říjnu jede náš otec na pět týdnů do města Bonn.
Kino je otevřené od středy do čtvrtka od 9:15 do 21:30.
Přednáška trvá tři hodiny.
Hotel má tři sta pokojů.
Vesnice má dvacet sedm obyvatel.
Zápas začíná za 12 hodin.
Naše dcera slaví v sobotu čtrnácté narozeniny.
Počasí ve městě Kiel bude ve středu odpoledne bouřlivé.
Let devět set devadesát osm směr Split přistává ve čtvrt na pět.
Končí přednáška v pět hodin?
Thomas minulý čtvrtek skončil na devátém místě.
Lžíce stojí dnes o čtyřicet procent méně.
Autobus směr Lyon má padesát devět minut zpoždění.
Naše teta plave každou sobotu v pět hodin dvacet minut.
Dám si jednu polévku a šest salátů.
Můj otec má schůzku zítra ve 13:00.
V knihovně je šest turistů.
Sedm jízdenek do města Turku stojí 28 eur.
Báseň je na straně třináct.
Náš strýc bydlí v Zahradní ulici 70.
Vlak směr Nantes neodjíždí v deset hodin, ale v 9:35.
Potřebujeme sto padesát gramů sýra a čtyři litry mléka.
Pokoj stojí dvacet osm franků za měsíc.
Daniel slaví zítra dvacáté páté narozeniny.
Na nádraží jsou tři hosté.
Zápas začíná ve středu 29. září v půl čtvrté.
Kolik stojí 11 tužek?
Báseň je na straně sto devět.
Muzeum otevírá každé úterý v 15:25.
Max minulý týden vyhrál zápas pět čtyři.
Klíče stojí ve středu o patnáct procent méně.
Nože stojí v pátek ráno o padesát procent méně.
Teplota ve městě Cardiff je pět stupňů.
Oliver minulou středu vyhrál zápas osm tři.
Večeřím ve 20:10.
Zápas začíná ve čtvrtek desátého března v 11:45.
Adam minulou středu skončil na šestnáctém místě.
Leo má tři koně a deset jablek.
Muzeum je otevřené od pondělí do neděle od 6:45 do 21:45.
Teplota ve městě Bristol je osm stupňů.
V květnu jede David na osm let do města Rostock.
Počasí ve městě Bonn bude ve středu větrné.
Třicet pět klíčů a 13 jablek stojí dohromady 60 korun.
Knihovna má 20 knih.
Nádraží otevírá každý pátek ve tři čtvrtě na sedm.
V kuchyni leží osm vajec.
Autobus směr York neodjíždí v půl jedenácté, ale ve 22:30.
Sejdeme se v neděli v deset hodin v kavárně.
Noční vlak směr York neodjíždí v půl třetí, ale v devět hodin.
Banka otevírá každý čtvrtek v půl páté.
Představení trvá devatenáct dní.
Dám si tři piva a pět salátů.
Potřebujeme sedm jablek.
Ida zůstane 10 týdnů ve městě Bonn.
Oliver minulou středu koupil jedenáct časopisů a 13 tužek.
Viktor minulý týden koupil jedenáct vajec a deset míčů.
Přednáška je dnes v 16:30.
Silnice směr Ulm je dlouhá pět kilometrů.
V lednu jede můj syn na devět týdnů do města Turku.
Thomas vstává ve čtvrt na osm.
Našemu strýci je 64 let.
Maria slaví narozeniny 12. července.
Zápas začíná za tři týdny.
Divadlo otevírá každou středu ve čtvrt na čtyři.
Zahrada je dlouhá sedm metrů.
Potřebujeme sedm nožů.
Vlak směr Dublin odjíždí v pět hodin z nástupiště 11.
Autobus směr Dortmund odjíždí ve čtyři hodiny padesát pět minut z nástupiště 15.
Potřebujeme 38 šálků.
Kurz začíná v úterý třicátého prvního prosince ve tři hodiny.
V muzeu je třicet tři hostů.
Končí kurz ve 13:55?
Kufr váží pět kilogramů.
Můj bratr zůstane 11 let ve městě Ulm.
Thomas má telefonní číslo 357 802.
Nádraží bylo postaveno v roce 1659.
Ida minulý měsíc vyhrála zápas pět čtyři.
Let šest set osmnáct směr Porto přistává ve dvě hodiny padesát pět minut.
Koberec stojí devět dolarů.
Daniel vstává v deset hodin.
Leo se narodil třicátého června 2020.
Dám si šest polévek a tři kávy.
Daniel má jednoho psa a deset lžic.
Noční vlak směr Bergen má třicet pět minut zpoždění.
Čtyřicet šest minus sedm je třicet devět.
Zámek je v sobotu ráno zavřený.
Můj syn slaví narozeniny čtvrtého října.
Maria se narodila dvacátého pátého května 1984.
Můj syn kupuje osm lžic za 10 dolarů.
Simon zůstane jeden týden ve městě Split.
Robert minulý čtvrtek skončil na třetím místě.
Sara má schůzku v neděli v devět hodin.
Simon bydlí v Mlýnské ulici 26.
Nora má telefonní číslo 331 236.
Potřebujeme 50 gramů rýže a jedenáct litrů mléka.
Tužky stojí dvacátého třetího března o sedmdesát procent méně.
Sedm jízdenek do města Split stojí 36 korun.
Kolik stojí třicet devět lahví?
Můj bratr slaví v úterý padesáté osmé narozeniny.
Sejdeme se jedenáctého listopadu ve 23:15 v bance.
Náš bratr má schůzku zítra ve tři čtvrtě na deset.
Kolik stojí třicet devět knih?
Kód ke kufru je šest dva osm.
Emma má telefonní číslo 619 856.
Kód k telefonu je jedna šest jedna.
David kupuje pět pohlednic za sedm franků.
Svatba trvá sedm týdnů.
Leo má osm psů a dvě lžíce.
Teplota ve městě Leeds je minus osm stupňů.
Hotel má sedmnáct pokojů.
Zahrada je dlouhá dvacet čtyři metrů.
Eva slaví narozeniny druhého září.
Noční vlak směr Ulm má čtyři minuty zpoždění.
Anna čte čtyřicátou kapitolu.
Thomas slaví dvacátého prvního prosince dvanácté narozeniny.
Počasí ve městě Turku bude v sobotu odpoledne deštivé.
Brambora stojí 5,65 franku.
Silnice směr Lyon je dlouhá tři kilometry.
Porada se koná zítra v místnosti sedmdesát šest.
Nora pracuje ve třináctém patře.
V prosinci jede Simon na devět let do města Cardiff.
Kurz je osmnáctého října v 17:40.
Přicházíme domů v půl osmé.
Osm plus třicet sedm je čtyřicet pět.
Sejdeme se šestého května ve 20:40 v divadle.
Můj syn bydlí v Zámecké ulici 110.
36 košil a jedno vejce stojí dohromady 129 franků.
Zápas trvá jeden týden.
Let 673 směr Split přistává v 15:20.
Eva kupuje dvanáct citronů za šest dolarů.
Anna včera skončila na devatenáctém místě.
Potřebujeme 500 gramů mouky a jeden litr vína.
Let 573 směr Nantes přistává v devět hodin.
Noční vlak směr Ulm odjíždí v 8:40 z nástupiště šestnáct.
Potřebujeme 11 šálků.
Večeříme v půl páté.
Mapa je na straně dva.
23 jízdenek do města Calais stojí 1500 franků.
Dům stojí 14,60 franku za den.
Divadlo má 17 míst.
Šedá brambora stojí 40,30 eura.
V dubnu jede naše babička na jeden týden do města Malmö.
Max má schůzku 30. září v šest hodin.
Autobus směr Bristol neodjíždí ve čtvrt na šest, ale v jedenáct hodin padesát pět minut.
Nora pracuje v osmém patře.
Emma má schůzku pátého prosince ve tři čtvrtě na dvě.
Teplota ve městě Calais je 17 stupňů.
Červený stůl váží 36 kilogramů.
Teplota ve městě Leeds je minus dvanáct stupňů.
Nora čte sedmnáctou kapitolu.
Koncert je 22. listopadu ve čtvrt na deset.
Dům stojí šest set korun za týden.
Max slaví narozeniny 10. ledna.
Kino je v pondělí zavřené.
Teplota ve městě Cardiff je tři stupně.
Radnice je otevřená od čtvrtka do soboty od 7:15 do 18:30.
Eva loni skončila na dvanáctém místě.
Můj bratr má deset ovcí a dvě jablka.
V košíku leží třináct lžic.
Moje babička má telefonní číslo 718 931.
Sejdeme se 16. dubna ve tři čtvrtě na čtyři v restauraci.
Náš syn má schůzku zítra ve čtyři hodiny.
Moje dcera čte třicátou osmou kapitolu.
Tramvaj směr Cardiff odjíždí ve čtvrt na tři z nástupiště 16.
Můj dědeček plave každou sobotu ve čtvrt na pět.
Náš syn čte osmnáctou kapitolu.
Let sto dva směr Oxford přistává ve tři čtvrtě na deset.
Potřebujeme 300 gramů cukru a šest litrů džusu.
Můj strýc kupuje osm časopisů za čtyřicet eur.
Šedesát osm minus dvacet je čtyřicet osm.
Silnice směr Nantes je dlouhá 750 kilometrů.
Nina čte sedmnáctou kapitolu.
Počasí ve městě Cardiff bude v sobotu ráno bouřlivé.
Vlak směr Lyon odjíždí v osm hodin z nástupiště dva.
Kurz začíná za dvanáct hodin.
Zkouška se koná v úterý ráno v místnosti 313.
Můj strýc hraje tenis každý pátek ve čtvrt na deset.
V listopadu jede Julia na dvacet dní do města Ulm.
Knihy stojí ve čtvrtek o čtyřicet procent méně.
Počítače stojí zítra o padesát pět procent méně.
Bílý stůl stojí sedmdesát korun.
V muzeu jsou čtyři ženy.
Můj dědeček má telefonní číslo 344 911.
Moje dcera zůstane jeden rok ve městě Calais.
Sara pracuje ve druhém patře.
Julia čte devatenáctou kapitolu.
Norbert čte jedenáctou kapitolu.
Kód k telefonu je nula devět nula.
Škola má patnáct žáků.
Naší babičce je čtyřicet devět let.
Silnice směr Kiel je dlouhá 11 kilometrů.
Sejdeme se v neděli v 16:40 v muzeu.
Anna má schůzku 15. prosince ve tři čtvrtě na dvě.
Tramvaj směr Cardiff odjíždí v deset hodin z nástupiště tři.
Vesnice má osmdesát šest obyvatel.
Noční vlak směr York neodjíždí ve 14:35, ale ve 12:15.
Můj otec bydlí v Nádražní ulici 36.
Počasí ve městě Leeds bude v úterý ráno suché.
Moje matka loni koupila šest vajec a deset klobouků.
Garáž stojí 27 eur za měsíc.
Leo včera skončil na druhém místě.
Fotografie je na straně devadesát tři.
Max snídá ve 22:50.
Anna kupuje čtyři klíče za 25,65 dolaru.
Sejdeme se devátého srpna v jednu hodinu v bance.
Nina kupuje sedmnáct klobouků za deset eur.
Škola má osmdesát žáků.
Banka byla postavena v roce 1958.
Thomas plave každou středu v pět hodin.
V červnu jede můj syn na jeden měsíc do města Bonn.
Náš otec kupuje dvacet pět nožů za čtyři koruny.
David minulé úterý vyhrál zápas osm dva.
Zápas trvá dvanáct dní.
Dám si dvě pizzy a pět dortů.
Odpověď je na straně 390.
Silnice směr Nantes je dlouhá sedmdesát čtyři kilometrů.
Emma minulou středu skončila na šestém místě.
Nina kupuje dvanáct košil za čtyřicet šest korun.
Leo slaví zítra osmé narozeniny.
Člun stojí osmdesát šest dolarů za týden.
Daniel slaví dnes šedesáté deváté narozeniny.
Julia minulou neděli vyhrála zápas sedm čtyři.
Moje dcera hraje tenis každý čtvrtek v 5:45.
Sejdeme se v pátek v půl dvanácté v knihovně.
Sejdeme se ve čtvrtek v jedenáct hodin dvacet pět minut v divadle.
Náš otec kupuje 36 časopisů za 9,35 eura.
Řeka je široká devět metrů.
Můj syn má telefonní číslo 669 348.
Náš otec vaří každé úterý v půl čtvrté.
Kabáty stojí v pondělí odpoledne o sedmdesát procent méně.
Výlet začíná v sobotu 15. srpna v 9:30.
Martin čte třicátou čtvrtou kapitolu.
Zkouška trvá 12 hodin.
Sejdeme se 6. května v osm hodin v divadle.
Počasí ve městě Bonn bude v neděli ráno chladné.
Adam minulou neděli skončil na jedenáctém místě.
Stoly stojí v sobotu ráno o šedesát pět procent méně.
Naše babička má telefonní číslo 389 114.
Banka byla postavena v roce 1886.
Vlak směr York neodjíždí v půl sedmé, ale v devět hodin třicet pět minut.
Řeka je široká čtrnáct metrů.
Můj syn má schůzku dvacátého devátého října v deset hodin.
Košile stojí v pátek odpoledne o šedesát pět procent méně.
Potřebujeme padesát gramů masa a sedm litrů vína.
Počasí ve městě Bonn bude zítra příjemné.
Let 456 směr Ulm přistává v půl osmé.
Kavárna je otevřená od úterý do neděle od 6:15 do 17:15.
David minulé pondělí vyhrál zápas šest dva.
Kód ke kufru je šest tři sedm jedna.
Končí přednáška ve čtvrt na pět?
Zkouška začíná ve čtvrtek dvacátého sedmého listopadu ve tři hodiny padesát minut.
Silnice směr Bristol je dlouhá osmdesát devět kilometrů.
Představení se koná v pátek večer v místnosti 354.
Adam kupuje třicet devět košil za dvanáct franků.
Výlet trvá dvě hodiny.
Knihovna má 15 knih.
Kolik stojí dvacet čtyři šálků?
Kód ke garáži je sedm sedm dva.
V říjnu jede Adam na dva měsíce do města Rostock.
Ida bydlí v Mostní ulici 73.
Potřebujeme 350 gramů cukru a šest litrů vody.
Náš strýc se narodil dvacátého třetího července tisíc devět set padesát dva.
Viktor včera skončil na pátém místě.
Restaurace byla postavena v roce 1776.
Koberce stojí 30. října o padesát procent méně.
Teplota ve městě Malmö je 35 stupňů.
Adresa je na straně 150.
Počasí ve městě Bonn bude dvacátého šestého ledna slunečné.
Sejdeme se druhého února v osm hodin v divadle.
Řeka je široká 12 metrů.
Vlak směr Kiel neodjíždí v 6:10, ale ve čtvrt na pět.
Přicházíme domů ve čtvrt na čtyři.
Zápas začíná v sobotu dvacátého pátého ledna v šest hodin dvacet pět minut.
Tramvaj směr Lyon má 46 minut zpoždění.
Oslava začíná za dva týdny.
Porada je v neděli ve čtyři hodiny.
Potřebujeme čtyři sta padesát gramů sýra a 10 litrů oleje.
Film trvá devět hodin.
Svatba je ve středu v deset hodin třicet pět minut.
Kurz začíná za čtyři dny.
Zkouška je v pondělí v 8:40.
Představení trvá dvě hodiny.
Představení je dnes ve čtvrt na dvě.
Viktor se narodil čtrnáctého prosince tisíc devět set osmdesát jedna.
Jedenáct jízdenek do města Rostock stojí dvě koruny.
Kino otevírá každé úterý v osm hodin.
Počasí ve městě Bonn bude dnes mlhavé.
Hotel má sedm set pokojů.
Teplota ve městě Cardiff je minus šest stupňů.
Mé tetě je čtyřicet pět let.
Laura slaví narozeniny 19. prosince.
Mapa je na straně 66.
Můj bratr čte pátou kapitolu.
Kolik stojí 24 citronů?
Zkouška se koná v neděli večer v místnosti 382.
Na trhu je padesát šest dětí.
Na trhu je 12 turistů.
Clara má schůzku 9. června v sedm hodin deset minut.
Noční vlak směr Oxford neodjíždí v osm hodin, ale v deset hodin deset minut.
Devět lamp a šestnáct košil stojí dohromady 5,10 dolaru.
Ulice má padesát čtyři domů.
Kino bylo postaveno v roce tisíc osm set dvacet osm.
Teplota ve městě Porto je dva stupně.
Teplota ve městě Nantes je 18 stupňů.
Šest jízdenek do města Ulm stojí deset korun.
Počasí ve městě Turku bude v úterý večer větrné.
40 pohlednic a pět květin stojí dohromady 3,75 eura.
Oslava začíná za sedm týdnů.
Dvanáct jízdenek do města Porto stojí devět dolarů.
Kolik stojí osm šálků?
Večeřím v jednu hodinu.
Teplota ve městě Madrid je minus dva stupně.
Potřebujeme tři květiny.
Muzeum je otevřené od úterý do středy od 7:15 do 17:15.
Potřebujeme 12 pohlednic.
Zámek je otevřený od pondělí do středy od 7:45 do 21:00.
Thomas se narodil devatenáctého června tisíc devět set sedmdesát dva.
Laura má schůzku prvního července v 5:50.
Počasí ve městě Turku bude v pondělí slunečné.
Modrý kufr váží třicet devět kilogramů.
V únoru jede náš dědeček na devět dní do města Oslo.
Nádraží je otevřené od středy do čtvrtka od 11:30 do 14:15.
Naše matka hraje tenis každé úterý ve tři čtvrtě na dvě.
Thomas má schůzku 5. srpna ve 13:10.
Koncert začíná za tři týdny.
Auto stojí 30 korun za den.
Let 349 směr Bordeaux přistává ve dvě hodiny.
Náš syn minulé pondělí koupil jedenáct košil a šest brambor.
Leo má osm ovcí a dvacet pět časopisů.
Potřebujeme 300 gramů masa a šest litrů mléka.
Končí zkouška v 18:00?
Zápas se koná v pátek odpoledne v místnosti jedna.
Film je šestého září v 7:40.
Škola je ve čtvrtek odpoledne zavřená.
Zahrada je dlouhá jedenáct metrů.
Náš otec slaví sedmého května sedmdesáté narozeniny.
Tramvaj směr Cardiff odjíždí ve tři hodiny z nástupiště 16.
Kolik stojí sedm jablek?
Simon kupuje 19 klobouků za deset korun.
Moje sestra má schůzku sedmnáctého března ve 22:05.
Daniel se narodil čtrnáctého července dva tisíce deset.
Šest vajec a tři košile stojí dohromady sedm franků.
Thomas bydlí v Kostelní ulici 37.
Naše matka bydlí v Školní ulici 112.
Knihovna je otevřená od úterý do pátku od 9:15 do 20:15.
Koncert začíná v sobotu druhého ledna v deset hodin.
Řeka je široká 35 metrů.
Restaurace je dvacátého devátého května zavřená.
Škola má dvacet tři žáků.
Končí svatba ve čtvrt na tři?
Obrazy stojí v úterý o dvacet pět procent méně.
Park byl postaven v roce tisíc šest set dvacet tři.
Silnice směr Kiel je dlouhá jeden kilometr.
Kolo stojí dva tisíce osm set franků za týden.
Dám si tři piva a jednu pizzu.
Martin slaví narozeniny 8. ledna.
Nádraží otevírá každou sobotu ve 14:50.
Let 209 směr Oxford přistává v deset hodin.
Silnice směr Porto je dlouhá šest kilometrů.
Pět jízdenek do města Nantes stojí osm franků.
Silnice směr Split je dlouhá dvacet kilometrů.
Osm jízdenek do města York stojí osm franků.
Kola stojí ve čtvrtek odpoledne o sedmdesát procent méně.
Film začíná za deset týdnů.
Tunel je dlouhý tři metry.
Můj strýc čte jedenáctou kapitolu.
Anna se narodila devatenáctého dubna dva tisíce dvacet.
Fotografie je na straně deset.
Počasí ve městě Bordeaux bude v sobotu ráno teplé.
Silnice směr York je dlouhá šedesát tři kilometrů.
Koberec stojí čtyři koruny.
Na trhu je pět mužů.
Počasí ve městě Bordeaux bude zítra teplé.
Silnice směr Bergen je dlouhá 25 kilometrů.
Let 423 směr Oxford přistává ve tři čtvrtě na pět.
Báseň je na straně třicet čtyři.
Jablko stojí deset korun.
Divadlo bylo postaveno v roce tisíc osm set dvacet sedm.
Restaurace otevírá každý pátek v jednu hodinu.
Naše babička bydlí v Nádražní ulici 98.
15 jízdenek do města Ulm stojí sedm dolarů.
Daniel minulý týden koupil dvanáct míčů a deset klíčů.
30 jízdenek do města York stojí tisíc devět set padesát dolarů.
Emma má schůzku v pondělí v šest hodin.
Modrý stůl váží sedm kilogramů.
Eva zůstane tři měsíce ve městě Bergen.
V září jede můj strýc na šest dní do města Leeds.
Sara večeří v 5:10.
Daniel kupuje třicet pět míčů za čtyřicet sedm dolarů.
Autobus směr Bristol má tři minuty zpoždění.
Počasí ve městě Porto bude v sobotu ráno slunečné.
Film se koná v pátek ráno v místnosti dvanáct.
Našemu otci je čtyřicet čtyři let.
Film je třináctého června ve tři hodiny čtyřicet minut.
V červenci jede Oliver na osm týdnů do města Leeds.
Tramvaj směr Madrid má pět minut zpoždění.
Kavárna otevírá každý pátek ve čtvrt na dvě.
Pod postelí leží třicet tři nožů.
Náš bratr zůstane pět týdnů ve městě York.
Na podlaze leží pět lamp.
Vejce stojí ve středu odpoledne o dvacet procent méně.
Obraz stojí jednu korunu.
Trh byl postaven v roce 1757.
Počasí ve městě Bristol bude v úterý větrné.
Restaurace otevírá každou středu v deset hodin padesát pět minut.
Potřebujeme tři tužky.
Potřebujeme čtyři lampy.
Devět jízdenek do města Malmö stojí sedm dolarů.
Potřebujeme tři nože.
Čtyřicet plus dvacet tři je šedesát tři.
Kód ke sklepu je sedm osm tři jedna.
Patnáct knih a 27 brambor stojí dohromady 13 korun.
Teplota ve městě Malmö je pět stupňů.
Loď je dlouhá tři metry.
Svatba začíná v sobotu 23. května v osm hodin třicet pět minut.
Člun stojí 27 eur za měsíc.
Nora bydlí v Tržní ulici 84.
Koberec váží padesát sedm kilogramů.
Let šest set třicet osm směr Ulm přistává ve 14:30.
Na židli leží sedm košil.
Naší matce je čtyřicet čtyři let.
Končí výlet ve čtyři hodiny?
Sejdeme se pátého ledna ve dvě hodiny ve škole.
Zkouška začíná za pět týdnů.
V březnu jede Viktor na deset let do města Bonn.
Martin minulou středu koupil deset šálků a třicet pět tužek.
Kolo váží 12 kilogramů.
Ida včera skončila na osmém místě.
Simon slaví narozeniny 23. srpna.
Divadlo je otevřené od pondělí do neděle od 6:00 do 18:45.
Koncert začíná za dvanáct dní.
Košile stojí zítra o dvacet procent méně.
Naše dcera kupuje tři láhve za 10 franků.
Na stole leží dvacet čtyři lžic.
Max čte čtvrtou kapitolu.
V krabici leží 26 citronů.
Teplota ve městě Turku je šest stupňů.
Film trvá sedmnáct minut.
Koberec váží jedenáct kilogramů.
Počasí ve městě Turku bude v sobotu odpoledne mlhavé.
Byt stojí dvacet tři franků za den.
Můj bratr má schůzku 15. října ve čtyři hodiny.
Silnice směr Bristol je dlouhá devět kilometrů.
Park je zítra zavřený.
Koberce stojí ve čtvrtek odpoledne o šedesát procent méně.
V kavárně jsou dva turisté.
Recept je na straně sto čtyřicet dva.
Nina slaví narozeniny devatenáctého června.
Potřebujeme třicet šest květin.
Na trhu je třináct studentů.
Můj syn má telefonní číslo 205 948.
Končí svatba v půl sedmé?
37 lžic a čtyři klobouky stojí dohromady osmdesát franků.
Muzeum bylo postaveno v roce 1869.
Hotel otevírá každou sobotu ve tři hodiny.
Kufr váží sedm kilogramů.
Moje sestra čte dvacátou osmou kapitolu.
Zámek je ve čtvrtek zavřený.
Končí film v půl desáté?
Náš bratr loni skončil na dvanáctém místě.
Škola otevírá každou středu ve tři hodiny čtyřicet minut.
Oliver minulou neděli vyhrál zápas šest pět.
Padesát dva plus šest je padesát osm.
Silnice směr Malmö je dlouhá devadesát osm kilometrů.
Oslava trvá sedm hodin.
Oslava se koná dvanáctého dubna v místnosti dvě stě devadesát čtyři.
Silnice směr Kiel je dlouhá devadesát devět kilometrů.
Sejdeme se 4. ledna ve tři čtvrtě na šest v kině.
Dám si šest pizz a jednu kávu.
Auto stojí 26 franků za měsíc.
Kurz se koná v sobotu odpoledne v místnosti 4.
Čtyřicet devět minus dvacet šest je dvacet tři.
Kufr váží tři kilogramy.
Recept je na straně jedna.
Zámek je otevřený od úterý do čtvrtka od 8:30 do 18:00.
Padesát plus třicet šest je osmdesát šest.
Tramvaj směr Dortmund má jedenáct minut zpoždění.
Laura slaví v úterý šedesáté osmé narozeniny.
Laura čte třicátou pátou kapitolu.
Noční vlak směr Kiel odjíždí v jednu hodinu z nástupiště 2.
Potřebujeme třicet jablek.
Lea minulý měsíc skončila na třináctém místě.
Šedý časopis stojí sedm korun.
Výlet začíná za čtyři týdny.
Noční vlak směr Dortmund odjíždí ve tři čtvrtě na dvě z nástupiště 7.
Kolik stojí třicet časopisů?
Film začíná ve čtvrtek třicátého srpna ve čtvrt na jedenáct.
Potřebujeme tři citrony.
Lea minulé úterý vyhrála zápas osm tři.
Knihovna byla postavena v roce tisíc osm set patnáct.
David má čtyři ovce a devět lahví.
V červnu jede Leo na pět dní do města Bordeaux.
Počasí ve městě Bonn bude čtvrtého května suché.
Časopisy stojí v pátek odpoledne o třicet procent méně.
Silnice směr Bristol je dlouhá deset kilometrů.
Náš dědeček čte devatenáctou kapitolu.
Bílý počítač váží osm kilogramů.
Potřebujeme devět klobouků.
Náš syn zůstane čtyři dny ve městě Oslo.
Vlak směr Bordeaux odjíždí v půl čtvrté z nástupiště 16.
Zápas začíná v úterý třetího července v půl třetí.
Viktor slaví narozeniny 24. prosince.
Naše sestra minulé úterý skončila na prvním místě.
Naše sestra slaví dvacátého šestého ledna třetí narozeniny.
Našemu synovi je sedm let.
Clara čte dvanáctou kapitolu.
Dva plus třicet sedm je třicet devět.
Silnice směr Rostock je dlouhá jedenáct kilometrů.
Naše sestra minulý týden vyhrála zápas tři dva.
Noční vlak směr Malmö neodjíždí ve čtvrt na čtyři, ale v devět hodin.
Dám si dvě polévky a pět salátů.
Kolo stojí sedmdesát devět franků za den.
Silnice směr Lyon je dlouhá šest kilometrů.
Dám si tři kávy a dvě pizzy.
Náš otec má deset koček a 36 časopisů.
Nina kupuje šest tužek za sedmdesát čtyři dolarů.
V říjnu jede naše matka na 10 týdnů do města Nantes.
Sara má devět koček a jedenáct květin.
Tramvaj směr Lyon má třicet pět minut zpoždění.
Autobus směr Calais neodjíždí ve čtvrt na jedenáct, ale ve čtvrt na pět.
Nina se narodila 14. srpna 1951.
V knihovně je dvanáct mužů.
Devět krát čtyři je třicet šest.
Představení se koná dvacátého šestého července v místnosti 25.
Maria čte třicátou devátou kapitolu.
Řeka je široká sedm metrů.
Byt stojí padesát pět franků za den.
Kolik stojí dva šálky?
Autobus směr Ulm má dvacet šest minut zpoždění.
V červenci jede Sara na dva týdny do města Turku.
Martin hraje fotbal každé úterý v 7:00.
Eva má telefonní číslo 341 728.
Počasí ve městě Ulm bude šestého září oblačné.
Červený kabát váží tři kilogramy.
Přednáška začíná za čtyři dny.
Ve škole je 11 žen.
Koberce stojí ve čtvrtek ráno o dvacet procent méně.
Náš syn minulou středu koupil 15 knih a 35 jablek.
Mému otci je 40 let.
Můj bratr slaví narozeniny 27. dubna.
Adam minulý pátek vyhrál zápas sedm pět.
Škola má šest set žáků.
Můj otec minulou sobotu vyhrál zápas šest pět.
Sejdeme se 18. března v půl deváté v kině.
Židle váží devět kilogramů.
Julia má tři kočky a 37 květin.
Martin pracuje každý čtvrtek v sedm hodin.
Noční vlak směr Rostock odjíždí v jednu hodinu z nástupiště 1.
Zámek je otevřený od úterý do soboty od 9:30 do 16:15.
Simon kupuje 28 lahví za 14,85 dolaru.
Sejdeme se v úterý v půl jedenácté v muzeu.
Daniel čte třicátou pátou kapitolu.
Tramvaj směr York má čtyřicet osm minut zpoždění.
Nora má schůzku v pátek v půl čtvrté.
Naše matka má čtyři ptáky a osm citronů.
Koncert začíná za sedm minut.
Škola má tisíc šest set žáků.
25 citronů a tři květiny stojí dohromady padesát eur.
Oslava se koná v neděli večer v místnosti 2.
Let 940 směr Bristol přistává v osm hodin.
Sejdeme se 9. srpna v půl osmé v kině.
Zámek byl postaven v roce tisíc osm set padesát devět.
Naše dcera má schůzku třicátého prosince ve čtvrt na dvě.
Končí svatba v deset hodin?
Devět jízdenek do města Turku stojí pět korun.
Náš dědeček čte druhou kapitolu.
Počasí ve městě Split bude dnes slunečné.
Můj otec čte druhou kapitolu.
Max má jednoho psa a dvacet tři tužek.
Oslava trvá dvanáct minut.
Šest jízdenek do města Nantes stojí deset dolarů.
Na podlaze leží třicet devět pohlednic.
Autobus směr Bonn odjíždí v jednu hodinu padesát pět minut z nástupiště 7.
Náš otec vstává v půl čtvrté.
Dám si dva čaje a tři saláty.
Robert má telefonní číslo 458 213.
Zkouška začíná za čtrnáct minut.
Kino otevírá každé pondělí ve tři čtvrtě na deset.
Výlet je zítra v sedm hodin.
Koncert je dnes v šest hodin.
Kufr váží 55 kilogramů.
Můj otec slaví narozeniny čtrnáctého září.
Moje teta minulý čtvrtek koupila tři lžíce a šest vajec.
Muzeum otevírá každé pondělí v jednu hodinu čtyřicet minut.
Čtyři košile a čtrnáct tužek stojí dohromady 28,80 dolaru.
Divadlo otevírá každý čtvrtek v šest hodin padesát pět minut.
Kolik stojí šest klobouků?
Sejdeme se v sobotu v půl jedenácté v divadle.
Moje babička kupuje jedenáct brambor za šest dolarů.
Kolik stojí devět knih?
Emma pracuje ve dvanáctém patře.
Autobus směr Split má devět minut zpoždění.
Kurz se koná v pondělí ráno v místnosti 8.
Přednáška začíná za čtrnáct dní.
Žlutá brambora stojí dva tisíce sedm set eur.
Počasí ve městě Leeds bude v pondělí odpoledne příjemné.
Můj syn bydlí v Mlýnské ulici 15.
Teplota ve městě Kiel je dvacet devět stupňů.
Padesát dva minus třináct je třicet devět.
Na podlaze leží tři šálky.
Končí výlet ve čtvrt na dvě?
Laura večeří ve čtyři hodiny padesát pět minut.
Svatba trvá pět minut.
Výlet je 20. dubna ve dvě hodiny dvacet minut.
Můj dědeček minulé úterý koupil deset míčů a 28 jablek.
Vlak směr Cardiff odjíždí ve 13:25 z nástupiště 4.
Nádraží je v pátek zavřené.
Adam se narodil osmého července tisíc devět set šedesát osm.
V zásuvce leží dvacet osm brambor.
Koberec váží dva kilogramy.
Naše matka loni skončila na šestém místě.
Náš strýc slaví 2. srpna šedesáté sedmé narozeniny.
Potřebujeme tři míče.
Můj strýc zůstane pět týdnů ve městě Kiel.
Kód k telefonu je sedm nula čtyři pět.
Končí film ve 20:00?
Potřebujeme 24 brambor.
Silnice směr Dublin je dlouhá pět kilometrů.
V bance je sedmnáct žen.
Nina minulé úterý vyhrála zápas pět jedna.
Mé matce je čtyřicet sedm let.
Báseň je na straně 13.
Modrá kniha stojí 38 dolarů.
Park otevírá každou středu ve 14:50.
Počítač stojí pět korun.
Potřebujeme padesát gramů masa a devět litrů mléka.
Potřebujeme patnáct lžic.
Muzeum bylo postaveno v roce 1791.
Naší tetě je 74 let.
Počasí ve městě Bonn bude v pátek větrné.
Potřebujeme 750 gramů masa a deset litrů džusu.
Představení trvá jednu hodinu.
Restaurace je ve středu odpoledne zavřená.
Moje dcera kupuje třináct pohlednic za šest franků.
Tramvaj směr Madrid neodjíždí ve čtvrt na osm, ale ve 12:35.
Našemu synovi je dvanáct let.
Můj syn včera skončil na druhém místě.
26 jízdenek do města Bordeaux stojí devatenáct dolarů.
Naší tetě je šedesát pět let.
Knihovna je v sobotu zavřená.
Tramvaj směr York odjíždí v 5:25 z nástupiště dva.
V dubnu jede naše dcera na jeden den do města Bordeaux.
Počasí ve městě Rostock bude ve čtvrtek večer oblačné.
Nora plave každé pondělí ve dvě hodiny.
Kurz se koná dnes v místnosti jedna.
V bance je třicet osm lékařů.
Můj strýc slaví v pondělí padesáté sedmé narozeniny.
Teplota ve městě Kiel je minus šest stupňů.
Nora kupuje pět nožů za deset korun.
Robert má telefonní číslo 588 169.
Restaurace otevírá každou sobotu v devět hodin.
Most je dlouhý čtyři metry.
Kolik stojí patnáct klobouků?
Počasí ve městě Turku bude ve středu ráno deštivé.
Radnice otevírá každý čtvrtek ve 13:40.
Silnice směr Rostock je dlouhá 200 kilometrů.
Vstávám ve tři čtvrtě na pět.
Max bydlí v Mlýnské ulici 20.
Dám si pět káv a dva čaje.
Červený kufr váží devět kilogramů.
Zámek je otevřený od úterý do neděle od 11:15 do 23:45.
Třicet osm plus dvacet jedna je padesát devět.
Dám si jeden čaj a jednu polévku.
Oslava začíná v pátek 6. prosince ve 20:20.
Sara má schůzku ve čtvrtek v pět hodin.
Teplota ve městě Dortmund je devatenáct stupňů.
Sara má telefonní číslo 209 103.
Robert čte šestnáctou kapitolu.
Mému bratrovi je třicet let.
Kolik stojí 40 jablek?
Let čtyři sta čtyřicet jedna směr Lyon přistává v jedenáct hodin.
Dám si pět káv a čtyři pizzy.
Můj syn má schůzku 10. března v 19:45.
Moje babička čte jedenáctou kapitolu.
Sejdeme se 2. listopadu v osm hodin v hotelu.
Autobus směr Malmö neodjíždí ve 23:55, ale v sedm hodin.
Kód ke kufru je devět devět čtyři dva.
Osm jízdenek do města Lyon stojí 13,35 koruny.
Koncert začíná za dva týdny.
Nina loni vyhrála zápas pět čtyři.
Moje babička má jednoho ptáka a tři pohlednice.
Kód ke dveřím je nula sedm šest pět.
Kurz začíná za pět týdnů.
Clara minulý pátek skončila na šestém místě.
Zkouška se koná v sobotu ráno v místnosti třicet jedna.
V červnu jede můj syn na čtyři týdny do města Split.
Sejdeme se zítra ve 14:15 v divadle.
Mapa je na straně třicet jedna.
Koncert je dvacátého pátého ledna v devět hodin dvacet minut.
Moje babička má schůzku v pátek ve čtvrt na šest.
Laura minulý týden vyhrála zápas osm dva.
Autobus směr Leeds má dvacet pět minut zpoždění.
Kurz je v pondělí ve čtyři hodiny dvacet pět minut.
Počasí ve městě York bude v pondělí teplé.
Padesát šest plus čtyři je šedesát.
Moje dcera má dvanáct koní a dvanáct lžic.
Kolo stojí 39,70 franku za týden.
Mému bratrovi je 20 let.
Let 717 směr York přistává ve 12:30.
Loď je dlouhá dva metry.
Můj strýc slaví třináctého ledna třicáté narozeniny.
Přednáška trvá deset dní.
Naše sestra minulou středu skončila na patnáctém místě.
Kavárna je 23. dubna zavřená.
Let 913 směr Cardiff přistává v půl desáté.
Seznam je na straně devět.
Autobus směr Dortmund má třináct minut zpoždění.
Naše sestra pracuje v pátém patře.
Sara slaví ve čtvrtek devadesáté deváté narozeniny.
Film trvá 20 dní.
Naše dcera včera vyhrála zápas osm dva.
Naše matka slaví v neděli čtyřicáté sedmé narozeniny.
Můj otec má schůzku v pondělí ve čtvrt na pět.
Thomas hraje na klavír každé úterý v šest hodin.
Oslava začíná v pondělí třetího března ve čtvrt na deset.
Anna minulou sobotu koupila devět košil a dvacet tři šálků.
Řeka je široká dvanáct metrů.
Anna má schůzku v neděli ve čtvrt na devět.
Restaurace je otevřená od čtvrtka do soboty od 7:00 do 23:45.
Autobus směr Nantes má třináct minut zpoždění.
Thomas má jednu kočku a devatenáct nožů.
Vesnice má dvacet obyvatel.
Dvě jízdenky do města Bergen stojí pět eur.
Restaurace je v pondělí večer zavřená.
Teplota ve městě Lyon je minus tři stupně.
Noční vlak směr Ulm odjíždí v pět hodin z nástupiště 14.
Silnice směr Malmö je dlouhá čtyřicet kilometrů.
Auto stojí 99 korun za den.
Film trvá padesát sedm minut.
Klíč stojí jednu korunu.
Radnice je otevřená od středy do pátku od 6:00 do 23:15.
Viktor slaví prvního října osmdesáté narozeniny.
Leo slaví v neděli dvacáté první narozeniny.
Dám si pět káv a pět čajů.
Potřebujeme dvě stě gramů rýže a 12 litrů mléka.
Snídáme v půl jedenácté.
Koncert trvá dva dny.
Kolik stojí jedna lampa?
Moje sestra pracuje v pátém patře.
Oliver se narodil 5. července 1996.
Naše babička slaví v sobotu třicáté šesté narozeniny.
Dám si jeden dort a tři kávy.
Kód k sejfu je šest šest sedm sedm.
Adam slaví narozeniny 8. srpna.
Sejdeme se dvacátého sedmého října v pět hodin padesát minut v muzeu.
Pohlednice stojí prvního července o třicet pět procent méně.
Zkouška začíná za jeden den.
Restaurace je otevřená od pondělí do neděle od 9:45 do 15:15.
Byt stojí 35,15 eura za měsíc.
Eva včera koupila tři lampy a třicet devět klobouků.
Ve škole je padesát pět hostů.
Noční vlak směr Ulm neodjíždí ve čtyři hodiny, ale ve čtvrt na deset.
Výlet začíná v pátek osmého dubna ve 23:40.
Teplota ve městě Ulm je šestnáct stupňů.
Divadlo bylo postaveno v roce 1852.
Končí kurz v 8:00?
Můj dědeček minulý měsíc skončil na desátém místě.
V březnu jede můj syn na tři týdny do města Split.
Devět krát devět je osmdesát jedna.
Noční vlak směr Calais neodjíždí ve dvě hodiny, ale v 8:40.
Julia minulý měsíc vyhrála zápas šest tři.
Daniel má tři psy a šestnáct klíčů.
Naše sestra zůstane dva týdny ve městě Malmö.
Potřebujeme dvacet tři tužek.
Film se koná ve čtvrtek ráno v místnosti dvacet šest.
Max minulý čtvrtek koupil sedm lžic a dvacet časopisů.
Martin má telefonní číslo 448 976.
Loď je dlouhá šest metrů.
Martin minulý pátek vyhrál zápas šest pět.
Svatba začíná za pět týdnů.
Dům stojí třicet dolarů za den.
Julia hraje šachy každý pátek v půl třetí.
Garáž stojí 20 eur za měsíc.
Výlet je v sobotu v půl páté.
Přednáška se koná zítra v místnosti 14.
Zápas začíná v pondělí 26. května v 5:20.
Náš syn minulý měsíc vyhrál zápas čtyři jedna.
Naše babička minulé úterý vyhrála zápas tři dva.
Adam má devět krav a sedm lahví.
Na nádraží je padesát tři žen.
Dám si pět čajů a jednu pizzu.
Silnice směr Kiel je dlouhá 40 kilometrů.
Přednáška je v pátek ve čtvrt na devět.
Adam minulý týden skončil na čtrnáctém místě.
Klobouky stojí dvacátého třetího prosince o padesát pět procent méně.
Potřebujeme šest set gramů másla a deset litrů mléka.
Clara pracuje ve čtrnáctém patře.
Naší tetě je 43 let.
Tramvaj směr Dublin neodjíždí ve tři čtvrtě na tři, ale v jednu hodinu.
Svatba začíná za devět hodin.
V červnu jede naše matka na dva dny do města Kiel.
Šedý počítač stojí 12 korun.
Počasí ve městě Lyon bude dvacátého sedmého dubna teplé.
Thomas včera vyhrál zápas osm tři.
Potřebujeme 350 gramů masa a osm litrů vína.
Porada trvá osm hodin.
Norbert pracuje každé úterý ve čtvrt na tři.
Zápas je prvního března ve tři čtvrtě na tři.
David zůstane osm týdnů ve městě Nantes.
Let devět set čtyřicet čtyři směr Leeds přistává v půl desáté.
38 vajec a 29 klobouků stojí dohromady 28,60 koruny.
Autobus směr Bonn neodjíždí v sedm hodin, ale ve tři čtvrtě na čtyři.
Leo se narodil 2. května tisíc devět set devadesát.
Thomas čte třicátou pátou kapitolu.
Knihovna má šest set knih.
Porada začíná za tři dny.
Koncert začíná za jednu hodinu.
Košile stojí šest korun.
Na radnici je dvacet pět turistů.
Banka je v úterý zavřená.
Potřebujeme 150 gramů rýže a tři litry vody.
Tři pohlednice a šest květin stojí dohromady dva dolary.
Let devět set čtyřicet osm směr Cardiff přistává ve čtyři hodiny dvacet minut.
Můj otec kupuje 14 citronů za deset franků.
Žlutý míč stojí čtyřicet tři korun.
Laura slaví 29. července dvacáté narozeniny.
Max má schůzku dvacátého pátého ledna ve 12:40.
V krabici leží šest nožů.
Potřebujeme pět knih.
Laura kupuje osmnáct citronů za sedm franků.
Láhve stojí ve čtvrtek odpoledne o šedesát procent méně.
Kolik stojí dvě lžíce?
Norbert minulý měsíc koupil jedenáct míčů a deset tužek.
Tramvaj směr Oxford neodjíždí v 6:55, ale ve čtvrt na šest.
Člun stojí 195 dolarů za týden.
Náš otec minulou neděli koupil pět lamp a čtyři jablka.
Silnice směr Madrid je dlouhá čtyřicet osm kilometrů.
Tři míče a 10 šálků stojí dohromady dvě koruny.
Přednáška začíná za šest dní.
Silnice směr Rostock je dlouhá čtyři kilometry.
Zápas začíná ve středu 21. září v jedenáct hodin padesát minut.
Vlak směr Leeds odjíždí ve tři čtvrtě na osm z nástupiště 4.
Nádraží je otevřené od středy do soboty od 10:30 do 20:45.
Dám si čtyři piva a šest káv.
Sejdeme se v úterý v půl sedmé v restauraci.
Autobus směr Ulm má dvacet pět minut zpoždění.
Náš dědeček hraje šachy každou sobotu v 16:20.
Divadlo je otevřené od středy do čtvrtka od 6:45 do 16:45.
Kolik stojí 37 míčů?
Teplota ve městě Bristol je tři stupně.
Sejdeme se ve čtvrtek ve čtvrt na tři v bance.
Představení začíná ve středu 7. července ve čtvrt na čtyři.
Park byl postaven v roce 1716.
Sejdeme se dnes v osm hodin ve škole.
Knihovna má dvacet tři knih.
Oslava začíná za šest týdnů.
Let osm set devadesát pět směr Dortmund přistává v devět hodin.
Pohlednice stojí 34,50 franku.
Škola má 70 žáků.
Lea má schůzku zítra v 8:15.
Restaurace byla postavena v roce tisíc devět set šedesát devět.
V kuchyni leží čtyři klíče.
Představení začíná v pondělí 3. listopadu v 6:35.
Náš bratr pracuje každou sobotu ve čtvrt na devět.
Moje teta minulou sobotu vyhrála zápas šest pět.
Max se narodil osmnáctého února 1999.
David minulý týden koupil 10 lamp a tři brambory.
Šest jízdenek do města Oxford stojí 550 eur.
Šestnáct plus dvacet sedm je čtyřicet tři.
Autobus směr Calais má pět minut zpoždění.
Končí výlet v pět hodin dvacet pět minut?
Přednáška začíná za dva týdny.
Thomas slaví dnes dvacáté osmé narozeniny.
Porada začíná v sobotu dvacátého pátého července v 8:00.
Představení začíná v pondělí devátého října ve tři čtvrtě na čtyři.
Počasí ve městě Nantes bude v úterý teplé.
Leo slaví narozeniny osmnáctého května.
Norbert má 11 koček a dvacet květin.
Našemu synovi jsou tři roky.
Maria pracuje každý pátek ve tři čtvrtě na osm.
V lednu jede Max na tři týdny do města Split.
Dám si jeden čaj a čtyři saláty.
Potřebujeme dvě stě padesát gramů sýra a osm litrů vína.
Martin minulý měsíc koupil 12 lahví a dva časopisy.
Oliver má schůzku dnes v půl třetí.
Moje matka bydlí v Lesní ulici 59.
Mé babičce je padesát tři let.
Naše babička minulý týden koupila třicet sedm vajec a 11 klobouků.
Moje dcera bydlí v Mlýnské ulici 73.
Počasí ve městě Bristol bude v neděli deštivé.
Potřebujeme 150 gramů masa a jedenáct litrů vína.
Eva má telefonní číslo 491 205.
Sejdeme se v úterý ve 22:35 v restauraci.
Láhev stojí tisíc sto padesát korun.
Moje babička minulou neděli koupila 15 nožů a třicet tři knih.
Viktor se narodil jedenáctého února 1950.
Potřebujeme tři sta padesát gramů másla a šest litrů džusu.
Kabát váží sedm kilogramů.
V hotelu jsou dva muži.
Oliver pracuje v pátém patře.
18 jízdenek do města Dublin stojí jedno euro.
Maria vaří každou středu v 5:15.
Vlak směr Dublin neodjíždí ve čtyři hodiny, ale ve čtvrt na pět.
Film je v neděli v půl osmé.
Potřebujeme čtyři sta gramů rýže a čtyři litry džusu.
Pět krát čtyři je dvacet.
Mapa je na straně 14.
Potřebujeme dvacet tři lamp.
Restaurace byla postavena v roce tisíc šest set devatenáct.
Adam zůstane deset týdnů ve městě Bonn.
Naše matka minulé pondělí vyhrála zápas tři jedna.
Anna slaví narozeniny 16. února.
V kuchyni leží dvacet šest lamp.
Počítač váží 33 kilogramů.
Kód k telefonu je jedna šest dva.
Trh byl postaven v roce tisíc šest set třicet pět.
V košíku leží devatenáct citronů.
Oslava začíná za čtyři hodiny.
Maria bydlí v Tržní ulici 113.
Kód k sejfu je tři dva pět devět.
Kino je otevřené od úterý do čtvrtka od 11:00 do 21:30.
Autobus směr Lyon odjíždí v pět hodin padesát minut z nástupiště jedna.
V červenci jede Leo na sedm dní do města Malmö.
Julia čte dvacátou první kapitolu.
Výlet začíná za čtyřicet šest minut.
Garáž stojí 16,85 dolaru za den.
V zásuvce leží třicet šest jablek.
Autobus směr Calais má dvě minuty zpoždění.
Divadlo má 2800 míst.
Knihovna je otevřená od středy do soboty od 9:45 do 15:30.
Květiny stojí v úterý večer o sedmdesát procent méně.
V bance je deset lékařů.
Noční vlak směr Bristol odjíždí v 19:35 z nástupiště osm.
Vesnice má 25 obyvatel.
Pět nožů a 11 citronů stojí dohromady devět korun.
Autobus směr Dublin neodjíždí ve čtvrt na deset, ale v sedm hodin.
Potřebujeme třicet šest míčů.
Park je v úterý odpoledne zavřený.
V knihovně je 56 lékařů.
Viktor minulý měsíc skončil na devatenáctém místě.
V kině je 30 žen.
Film je sedmého srpna v 7:45.
Noční vlak směr Kiel neodjíždí v sedm hodin, ale ve tři čtvrtě na čtyři.
Moje sestra má devět koní a šest časopisů.
Film se koná v úterý odpoledne v místnosti 219.
Čtyři krát šest je dvacet čtyři.
Potřebujeme 250 gramů sýra a 10 litrů oleje.
Počítače stojí 10. července o šedesát pět procent méně.
Muzeum otevírá každé pondělí v půl druhé.
Šedé vejce stojí 850 franků.
Náš strýc bydlí v Mlýnské ulici 65.
Náš otec minulou středu vyhrál zápas šest čtyři.
Zkouška trvá 15 minut.
Kolik stojí čtyřicet jablek?
Silnice směr York je dlouhá šest set kilometrů.
Naše babička bydlí v Zahradní ulici 30.
Mapa je na straně 16.
Daniel zůstane šest týdnů ve městě Cardiff.
Nora má schůzku čtrnáctého července v sedm hodin.
Noční vlak směr Oxford má dvacet šest minut zpoždění.
Kolik stojí třicet devět citronů?
Daniel má schůzku dnes v osm hodin.
Zahrada je dlouhá sedmdesát metrů.
Obraz váží dvacet kilogramů.
Počasí ve městě Leeds bude sedmého června větrné.
Emma slaví ve středu patnácté narozeniny.
Potřebujeme osm set gramů mouky a dva litry mléka.
Dám si čtyři piva a dvě kávy.
Zeď je vysoká čtyřicet osm metrů.
Teplota ve městě Lyon je minus devět stupňů.
Počasí ve městě Bordeaux bude v neděli večer teplé.
Dám si jednu pizzu a dvě piva.
Sejdeme se ve čtvrtek v jednu hodinu v muzeu.
Koncert trvá čtyři dny.
19 jízdenek do města Turku stojí dvanáct eur.
Autobus směr Turku odjíždí ve čtvrt na pět z nástupiště 19.
Můj otec plave každou středu v pět hodin.
Silnice směr Turku je dlouhá pět set padesát kilometrů.
Dám si čtyři čaje a dvě pizzy.
Můj bratr má telefonní číslo 234 717.
Zkouška začíná za tři týdny.
Náš dědeček včera vyhrál zápas tři dva.
Leo minulou sobotu vyhrál zápas sedm pět.
Radnice je v pátek večer zavřená.
Oslava trvá jedenáct minut.
Naše matka minulé úterý skončila na sedmém místě.
Věž je vysoká 54 metrů.
Černé kolo váží padesát osm kilogramů.
Sejdeme se 7. listopadu ve tři čtvrtě na sedm na nádraží.
Oslava se koná ve čtvrtek v místnosti 80.
Devět krát deset je devadesát.
Naše matka bydlí v Kostelní ulici 39.
Noční vlak směr Madrid odjíždí ve čtyři hodiny z nástupiště osm.
Zápas začíná ve středu šestého listopadu v jedenáct hodin deset minut.
V listopadu jede Nora na sedm měsíců do města Bergen.
Kurz začíná za sedm minut.
Adam bydlí v Mostní ulici 111.
V únoru jede Viktor na sedm let do města Oxford.
Mému synovi jsou tři roky.
Zahrada je dlouhá dvanáct metrů.
Knihovna má 16 knih.
Šest šálků a čtyři tužky stojí dohromady šedesát pět eur.
Autobus směr Malmö má sedm minut zpoždění.
Sejdeme se dnes ve čtvrt na dvanáct v hotelu.
Náš bratr kupuje osmnáct klíčů za pět eur.
Náš dědeček má schůzku v sobotu ve dvě hodiny.
Modrý kabát váží 30 kilogramů.
Robert má telefonní číslo 730 146.
Kabáty stojí v sobotu o šedesát procent méně.
Norbert bydlí v Zámecké ulici 7.
Dám si šest čajů a šest pizz.
Simon hraje fotbal každou neděli ve tři čtvrtě na deset.
Naše sestra minulý měsíc koupila pět jablek a osmnáct lahví.
Autobus směr Cardiff neodjíždí ve čtyři hodiny, ale ve 13:30.
Moje dcera se narodila 9. dubna 1975.
Julia má telefonní číslo 441 640.
Potřebujeme tři vejce.
Divadlo je otevřené od pondělí do středy od 7:15 do 20:00.
Moje matka má schůzku ve čtvrtek v půl desáté.
Moje babička čte patnáctou kapitolu.
Noční vlak směr Bergen neodjíždí v sedm hodin, ale v 17:05.
Silnice směr Ulm je dlouhá devatenáct kilometrů.
Tramvaj směr Lyon má osmnáct minut zpoždění.
Vlak směr Nantes má čtyři minuty zpoždění.
Svatba začíná za čtyři hodiny.
Let 663 směr Oxford přistává v 6:55.
Norbert se narodil 11. září tisíc devět set osmdesát osm.
Robert čte třicátou čtvrtou kapitolu.
Zámek je otevřený od pondělí do středy od 10:30 do 23:00.
Ida zůstane osmnáct dní ve městě Kiel.
Restaurace je otevřená od soboty do neděle od 10:45 do 22:30.
Svatba trvá 15 dní.
Silnice směr Split je dlouhá osm kilometrů.
Ida bydlí v Kostelní ulici 110.
Naše dcera minulý měsíc skončila na devatenáctém místě.
Počasí ve městě Kiel bude dnes mlhavé.
Můj bratr slaví dvacátého října devadesáté sedmé narozeniny.
Noční vlak směr Ulm neodjíždí ve čtvrt na šest, ale ve čtvrt na dvanáct.
Maria pracuje ve třetím patře.
Klobouky stojí v pondělí odpoledne o padesát pět procent méně.
Silnice směr Lyon je dlouhá čtyřicet čtyři kilometrů.
Viktor má telefonní číslo 642 895.
Naše dcera má telefonní číslo 544 130.
Potřebujeme 750 gramů masa a pět litrů oleje.
Thomas přichází domů v jednu hodinu dvacet pět minut.
Počasí ve městě Leeds bude ve čtvrtek ráno oblačné.
Adam má deset ptáků a jedenáct šálků.
Knihy stojí v neděli večer o sedmdesát procent méně.
Dám si dvě polévky a jeden dort.
Potřebujeme dvě stě gramů masa a jeden litr mléka.
Na židli leží sedm klíčů.
Trh je v úterý ráno zavřený.
Mému otci je 44 let.
Mé sestře jsou tři roky.
Patnáct pohlednic a tři vejce stojí dohromady sedm eur.
Zeď je vysoká 33 metrů.
Jedenáct klobouků a třicet sedm lahví stojí dohromady 8,70 dolaru.
Muzeum je v úterý zavřené.
Mému otci je čtyřicet tři let.
Zámek otevírá každou středu v půl páté.
Anna zůstane dva týdny ve městě Lyon.
Viktor zůstane čtyři měsíce ve městě Porto.
Kufr stojí dva tisíce tři sta padesát franků.
Zkouška je jedenáctého listopadu v 15:45.
Nora má schůzku šestého listopadu v sedm hodin deset minut.
Nora má jednu ovci a sedm nožů.
Silnice směr Nantes je dlouhá dva kilometry.
Ida má telefonní číslo 219 933.
Počasí ve městě Cardiff bude 13. května oblačné.
Kurz začíná za 25 minut.
Pět jízdenek do města Lyon stojí čtyři eura.
Náš strýc má schůzku 2. srpna ve čtyři hodiny.
Max má schůzku dnes ve čtvrt na sedm.
Končí kurz ve 22:40?
Dám si šest čajů a tři kávy.
Výlet trvá čtyři dny.
Kód ke sklepu je pět čtyři devět čtyři.
Radnice otevírá každý pátek ve 23:40.
Max pracuje ve dvanáctém patře.
10 lžic a tři jablka stojí dohromady 30 franků.
Robert zůstane sedm let ve městě Dortmund.
34 jablek a sedm šálků stojí dohromady osmdesát tři dolarů.
Mapa je na straně deset.
Potřebujeme dvanáct lahví.
Klobouk stojí dvacet sedm dolarů.
Časopisy stojí ve středu večer o šedesát procent méně.
Tramvaj směr Split odjíždí v sedm hodin z nástupiště devatenáct.
Čtyřicet dva plus třicet devět je osmdesát jedna.
Naše matka má pět koní a 13 tužek.
Černá židle váží devět kilogramů.
Končí představení v půl dvanácté?
Noční vlak směr Oslo má čtyři minuty zpoždění.
Můj syn loni skončil na patnáctém místě.
Kurz se koná v neděli ráno v místnosti 15.
Počasí ve městě Split bude v sobotu večer příjemné.
Mé sestře je devět let.
Naše babička pracuje v prvním patře.
Moje matka kupuje šestnáct lžic za 22,40 eura.
12 jízdenek do města Oxford stojí deset franků.
Maria pracuje v patnáctém patře.
Muzeum je v pondělí večer zavřené.
Můj dědeček slaví narozeniny 24. srpna.
Pokoj stojí dvacet devět eur za týden.
Let 173 směr Cardiff přistává v jedenáct hodin čtyřicet minut.
Maria bydlí v Lesní ulici 17.
Moje dcera slaví narozeniny 29. května.
Martin slaví narozeniny 31. července.
Moje teta včera koupila třicet tři míčů a osm pohlednic.
Emma včera skončila na pátém místě.
Naše dcera přichází domů ve 13:45.
Teplota ve městě Rostock je minus šest stupňů.
Let 789 směr Oslo přistává v jedenáct hodin dvacet pět minut.
Kolik stojí čtyři lžíce?
Naše teta slaví v sobotu sedmdesáté čtvrté narozeniny.
Můj dědeček čte třináctou kapitolu.
Snídáme ve dvě hodiny deset minut.
Tři jízdenky do města Turku stojí 11,50 dolaru.
Leo minulý měsíc vyhrál zápas čtyři tři.
Kino otevírá každý čtvrtek v půl deváté.
Restaurace je dnes zavřená.
Vstávám ve tři čtvrtě na šest.
Náš syn se učí anglicky každý čtvrtek ve dvě hodiny čtyřicet minut.
Končí porada ve čtvrt na devět?
Bílý kabát váží devět kilogramů.
Potřebujeme třináct klobouků.
Náš syn bydlí v Kostelní ulici 94.
Simon zůstane šest týdnů ve městě Bristol.
Silnice směr Leeds je dlouhá pět set padesát kilometrů.
Nora hraje tenis každý čtvrtek v devět hodin.
Zápas se koná 1. listopadu v místnosti tři sta čtyřicet dva.
Náš syn zůstane třináct dní ve městě Porto.
Clara začíná pracovat ve tři hodiny.
Počasí ve městě Split bude v úterý mlhavé.
Náš dědeček kupuje 11 vajec za šest korun.
Nina se narodila šestého února 1963.
Teplota ve městě Bristol je minus sedm stupňů.
Našemu bratrovi je devět let.
Obraz váží tři kilogramy.
Šestnáct jízdenek do města Porto stojí čtyři sta padesát franků.
Dám si šest káv a dva saláty.
Na stole leží dvanáct knih.
Teplota ve městě Lyon je minus dvacet čtyři stupňů.
Kód ke dveřím je jedna nula nula dva.
Můj otec minulou sobotu koupil 26 pohlednic a pět tužek.
Na podlaze leží tři nože.
Moje babička zůstane tři týdny ve městě Dortmund.
Norbert kupuje tři časopisy za 39,50 dolaru.
Martin pracuje v devátém patře.
David minulou středu koupil dva míče a 19 klíčů.
Auto stojí 21,15 franku za týden.
Clara čte osmou kapitolu.
Eva čte třicátou druhou kapitolu.
Můj dědeček má schůzku v sobotu ve čtvrt na deset.
Moje sestra hraje šachy každou středu v 9:50.
Moje matka minulý čtvrtek koupila tři klobouky a sedm košil.
Emma má telefonní číslo 451 476.
Autobus směr Cardiff má třicet minut zpoždění.
Emma se narodila dvacátého července tisíc devět set sedmdesát osm.
Kód ke dveřím je jedna pět tři šest.
Zámek je dvacátého třetího května zavřený.
Moje matka pracuje v šestnáctém patře.
Let dvě stě dvacet jedna směr Rostock přistává v 8:05.
Kurz se koná v pátek v místnosti sto šedesát jedna.
Knihovna má osmnáct knih.
Končí představení v 15:40?
Počasí ve městě Oslo bude v pondělí večer mlhavé.
Kola stojí v pondělí odpoledne o třicet procent méně.
Naše matka slaví v pátek třicáté deváté narozeniny.
Můj dědeček má telefonní číslo 576 968.
Židle váží 12 kilogramů.
Počasí ve městě York bude v neděli večer bouřlivé.
Noční vlak směr Calais neodjíždí v půl třetí, ale v 9:00.
Končí film v půl páté?
Oliver se narodil dvacátého sedmého května dva tisíce čtrnáct.
Emma plave každé úterý ve 13:15.
Můj strýc má deset ovcí a osm časopisů.
Dvacet devět jízdenek do města Dublin stojí sedm set padesát korun.
Tramvaj směr Cardiff odjíždí v půl jedenácté z nástupiště sedmnáct.
Osmdesát sedm minus třicet tři je padesát čtyři.
Sara přichází domů ve 14:55.
Radnice otevírá každou středu ve tři čtvrtě na tři.
Kurz začíná za devět minut.
Garáž stojí třicet osm franků za měsíc.
Divadlo otevírá každé pondělí ve tři čtvrtě na jedenáct.
Norbert minulé pondělí skončil na šestém místě.
Vlak směr Cardiff odjíždí ve tři hodiny z nástupiště osmnáct.
Naše matka obědvá ve 23:00.
Tunel je dlouhý čtyři metry.
10 tužek a pět míčů stojí dohromady 6,65 koruny.
Zkouška začíná ve středu dvacátého sedmého února v sedm hodin dvacet minut.
Clara minulý týden skončila na čtvrtém místě.
Na židli leží dvě lžíce.
Garáž stojí 28 eur za měsíc.
25 jízdenek do města Oxford stojí 1850 franků.
Mému synovi je šest let.
Trh je v sobotu večer zavřený.
V košíku leží devět tužek.
Trh byl postaven v roce tisíc šest set čtyřicet.
Vlak směr Ulm má osm minut zpoždění.
Norbert má telefonní číslo 304 793.
Kurz začíná za devět týdnů.
Bílý kabát stojí osmdesát devět korun.
Kavárna je v sobotu zavřená.
Anna zůstane 11 měsíců ve městě Bonn.
Škola má 76 žáků.
Moje dcera má osm koní a dvanáct klíčů.
Dvě jízdenky do města Calais stojí šest korun.
V kavárně je 11 lékařů.
David včera koupil šest košil a 29 vajec.
Můj strýc slaví devátého listopadu devadesáté třetí narozeniny.
Náš strýc má telefonní číslo 580 431.
Autobus směr Cardiff odjíždí ve 20:55 z nástupiště 13.
Let devět set sedm směr Leeds přistává v 15:45.
Park otevírá každou neděli v půl sedmé.
Končí kurz v půl druhé?
Náš syn má schůzku v neděli v deset hodin.
Zápas je zítra v osm hodin.
Tramvaj směr Cardiff má osm minut zpoždění.
Teplota ve městě Split je 13 stupňů.
Končí představení ve dvě hodiny?
Vlak směr York má osm minut zpoždění.
Trh je otevřený od středy do neděle od 10:15 do 14:00.
Dvanáct časopisů a 23 vajec stojí dohromady 32,35 eura.
Jablko stojí tisíc sto eur.
Dvacet čtyři klíčů a pět klobouků stojí dohromady 12 franků.
Knihovna je ve čtvrtek ráno zavřená.
Dám si jednu pizzu a tři saláty.
Nina začíná pracovat v 5:30.
Moje sestra minulý týden koupila šestnáct citronů a devatenáct brambor.
Daniel kupuje třicet osm vajec za 1300 dolarů.
Můj syn bydlí v Zámecké ulici 32.
Naše babička pracuje ve druhém patře.
28 jízdenek do města Porto stojí tři koruny.
Silnice směr York je dlouhá čtyřicet šest kilometrů.
Adam slaví devátého dubna devadesáté druhé narozeniny.
Výlet se koná dnes v místnosti dvě stě sedm.
Moje babička minulý týden koupila dvě košile a osm míčů.
V divadle je padesát tři dětí.
Lampy stojí dvacátého druhého ledna o šedesát pět procent méně.
Tramvaj směr Bordeaux má sedm minut zpoždění.
Jeden nůž a devět klobouků stojí dohromady 43 franků.
Autobus směr Leeds odjíždí ve 23:45 z nástupiště 3.
Škola je otevřená od čtvrtka do neděle od 8:00 do 15:00.
Svatba je v pondělí ve čtyři hodiny třicet pět minut.
Končí představení v 9:55?
Silnice směr Split je dlouhá jedenáct kilometrů.
Thomas se narodil 24. května 1995.
Kurz začíná za 20 minut.
Náš strýc bydlí v Kostelní ulici 66.
Hotel je otevřený od pátku do neděle od 11:15 do 14:45.
Naší sestře jsou dva roky.
Naše dcera včera skončila na sedmém místě.
Počasí ve městě Dublin bude ve čtvrtek odpoledne deštivé.
David má schůzku ve čtvrtek v půl druhé.
Mé sestře je šestnáct let.
Simon minulý čtvrtek koupil devět klíčů a pět košil.
Nina minulý měsíc koupila osm košil a dva časopisy.
Zkouška je v pondělí v jedenáct hodin.
Náš strýc čte třicátou čtvrtou kapitolu.
Náš otec včera koupil 23 nožů a sedm jablek.
Silnice směr Bordeaux je dlouhá pět set padesát kilometrů.
Sejdeme se 3. prosince v půl druhé v divadle.
Kino je otevřené od pátku do neděle od 6:15 do 18:15.
Ida včera koupila sedm klobouků a šest míčů.
Kino je zítra zavřené.
Kolik stojí dvanáct tužek?
Noční vlak směr Leeds má padesát šest minut zpoždění.
Přicházíme domů ve tři čtvrtě na sedm.
Věž je vysoká 95 metrů.
Náš bratr se narodil devatenáctého prosince 1955.
Daniel má schůzku v pátek ve tři čtvrtě na šest.
Zkouška začíná za sedmnáct dní.
Laura bydlí v Nádražní ulici 83.
Nora slaví narozeniny 16. května.
20 jízdenek do města York stojí dva tisíce šest set dolarů.
Emma slaví narozeniny 24. března.
Zelený stůl stojí dvanáct franků.
Emma má jedenáct koní a 30 květin.
Kino je otevřené od úterý do středy od 10:30 do 14:00.
Naše sestra začíná pracovat ve čtvrt na dvanáct.
V krabici leží dvacet osm lamp.
Výlet se koná v neděli v místnosti 99.
Představení začíná v neděli 4. dubna ve tři hodiny.
Řeka je široká čtyřicet metrů.
Trh je otevřený od pondělí do pátku od 9:30 do 21:30.
Moje dcera zůstane 12 dní ve městě Oslo.
Báseň je na straně jedenáct.
Trh byl postaven v roce 1930.
Laura má telefonní číslo 331 120.
Oliver minulé pondělí vyhrál zápas tři jedna.
Let 730 směr Turku přistává v šest hodin.
Moje dcera minulý týden vyhrála zápas sedm pět.
Dvě jablka a sedm klíčů stojí dohromady dvacet sedm franků.
Silnice směr Dortmund je dlouhá osm kilometrů.
Tři plus třicet osm je čtyřicet jedna.
Můj dědeček minulou neděli skončil na sedmém místě.
Oliver slaví narozeniny prvního února.
Škola je otevřená od středy do pátku od 10:00 do 14:00.
Simon kupuje dvacet šest květin za sto osmdesát tři dolarů.
Na zámku je osm žen.
Končí film ve čtvrt na osm?
Na židli leží čtyři klobouky.
Počasí ve městě Lyon bude čtvrtého dubna chladné.
Potřebujeme šest lamp.
Přednáška začíná v úterý dvanáctého prosince ve 14:20.
Kolo váží devět kilogramů.
Silnice směr Bergen je dlouhá 19 kilometrů.
Max zůstane pět měsíců ve městě Calais.
Zahrada má šedesát osm stromů.
Kód k telefonu je tři nula šest nula.
Začínáme pracovat ve tři čtvrtě na deset.
Adresa je na straně 17.
Počasí ve městě Bonn bude v pátek večer slunečné.
Kód ke dveřím je osm šest čtyři.
Teplota ve městě Oslo je šest stupňů.
Můj syn kupuje 28 tužek za 96 franků.
V hotelu je jedenáct hostů.
Začínáme pracovat ve tři čtvrtě na čtyři.
Vlak směr Oxford má třicet minut zpoždění.
Park je 14. dubna zavřený.
Moje teta má schůzku ve čtvrtek v 18:20.
Kufr váží 58 kilogramů.
Most je dlouhý tři metry.
Potřebujeme tři sta gramů rýže a dva litry oleje.
Silnice směr Ulm je dlouhá dvanáct kilometrů.
Oslava trvá dva týdny.
Snídáme v půl čtvrté.
Potřebujeme čtyři sta padesát gramů rýže a osm litrů vína.
Potřebujeme osm klobouků.
Potřebujeme osm set gramů sýra a sedm litrů mléka.
Náš dědeček vstává v pět hodin.
Můj strýc bydlí v Lesní ulici 82.
Kavárna je otevřená od pondělí do pátku od 9:30 do 21:30.
Dám si dva saláty a tři dorty.
Na stole leží devět klíčů.
Moje matka minulé úterý koupila třicet osm míčů a jedenáct pohlednic.
Tramvaj směr Porto odjíždí v sedm hodin z nástupiště patnáct.
Naší babičce je čtyřicet osm let.
Porada je v pondělí v šest hodin čtyřicet minut.
Naše dcera čte dvacátou čtvrtou kapitolu.
Vlak směr Porto má třicet šest minut zpoždění.
Nůž stojí osm korun.
Náš syn má dvanáct krav a dvacet sedm brambor.
Počasí ve městě Turku bude v pátek večer oblačné.
Noční vlak směr Madrid má pět minut zpoždění.
Kód k sejfu je sedm čtyři šest nula.
Viktor má deset koček a pět šálků.
Daniel loni koupil šest citronů a 12 pohlednic.
Trh otevírá každé úterý v 9:00.
Let 925 směr Split přistává v 15:30.
Lžíce stojí v pátek ráno o padesát procent méně.
Dám si tři saláty a dvě piva.
Kurz trvá pět týdnů.
Zkouška se koná v pátek ráno v místnosti devadesát pět.
Kód ke garáži je pět jedna pět nula.
Trh je otevřený od pondělí do úterý od 8:45 do 14:15.
Stůl váží 39 kilogramů.
Počasí ve městě Bonn bude třicátého června deštivé.
Nina se narodila 31. října tisíc devět set osmdesát devět.
Zápas začíná v pondělí sedmého března ve tři čtvrtě na čtyři.
Dám si jeden salát a dva dorty.
Norbert má telefonní číslo 765 404.
V kině je 16 hostů.
Silnice směr Porto je dlouhá tři kilometry.
Výlet začíná za jedenáct hodin.
Ida má schůzku zítra v 19:40.
Škola otevírá každý čtvrtek v půl sedmé.
David minulý měsíc skončil na pátém místě.
Moje teta slaví narozeniny dvacátého devátého října.
V parku jsou čtyři děti.
Zápas se koná 24. listopadu v místnosti sto dvanáct.
Leo bydlí v Mostní ulici 51.
V srpnu jede můj syn na 10 týdnů do města Lyon.
Sejdeme se ve středu ve dvě hodiny v kavárně.
Noční vlak směr Bonn neodjíždí v sedm hodin deset minut, ale ve 20:35.
Teplota ve městě Malmö je sedmnáct stupňů.
Kolik stojí osm lamp?
Teplota ve městě Bonn je tři stupně.
Šest knih a třináct jablek stojí dohromady 22,80 franku.
Počasí ve městě York bude v pátek odpoledne chladné.
Přednáška se koná v sobotu večer v místnosti sto devadesát devět.
Let 663 směr Madrid přistává v 7:10.
Oliver minulý pátek vyhrál zápas pět jedna.
Sara čte třicátou první kapitolu.
Potřebujeme 50 gramů másla a tři litry mléka.
Trh je otevřený od středy do soboty od 9:45 do 17:00.
Začínáme pracovat v půl třetí.
Film začíná v sobotu 18. května ve tři čtvrtě na pět.
Můj bratr bydlí v Zámecké ulici 103.
Kino bylo postaveno v roce tisíc šest set šedesát osm.
Potřebujeme třicet čtyři klobouků.
Vlak směr Bonn neodjíždí v jedenáct hodin, ale ve dvě hodiny.
Na stole leží dvacet devět jablek.
Zkouška začíná za patnáct minut.
Teplota ve městě Bordeaux je minus tři stupně.
Restaurace byla postavena v roce 1990.
Věž je vysoká šest metrů.
Teplota ve městě Dublin je třináct stupňů.
V srpnu jede Leo na tři roky do města Bergen.
Potřebujeme 23 tužek.
Teplota ve městě Ulm je 30 stupňů.
Výlet je čtvrtého prosince ve tři čtvrtě na pět.
Můj bratr pracuje ve dvanáctém patře.
Kód k sejfu je sedm sedm šest dva.
Čtrnáct časopisů a 27 jablek stojí dohromady 3,25 dolaru.
Autobus směr Malmö neodjíždí ve tři hodiny, ale ve 22:55.
Mému strýci je padesát devět let.
Let 870 směr Lyon přistává v 16:00.
Robert čte dvacátou osmou kapitolu.
Náš strýc minulý pátek skončil na prvním místě.
Laura má schůzku dnes ve tři čtvrtě na devět.
Noční vlak směr Turku má sedm minut zpoždění.
Počítače stojí v pondělí ráno o třicet procent méně.
Počasí ve městě Bordeaux bude v neděli deštivé.
Snídáme v jednu hodinu.
Nora se narodila sedmnáctého dubna 2017.
Emma má schůzku 28. listopadu v jedenáct hodin.
Svatba trvá 37 minut.
Kurz začíná za dvacet pět minut.
Moje matka kupuje jeden klíč za pět korun.
Večeřím ve 13:10.
Let sto dvacet šest směr Turku přistává v osm hodin.
Let 480 směr Rostock přistává v devět hodin.
Naše babička se narodila devatenáctého srpna 1955.
Škola má sedmnáct žáků.
Silnice směr Ulm je dlouhá šest kilometrů.
Dám si šest piv a čtyři dorty.
Počasí ve městě Nantes bude v neděli ráno teplé.
Můj strýc slaví 19. listopadu čtyřicáté druhé narozeniny.
Počítače stojí 19. května o deset procent méně.
Let 504 směr Bristol přistává ve čtvrt na pět.
V kuchyni leží 11 košil.
Naše matka se učí anglicky každou sobotu ve čtvrt na deset.
Moje sestra slaví v pátek sedmnácté narozeniny.
Moje babička bydlí v Lesní ulici 23.
Teplota ve městě Cardiff je třicet pět stupňů.
Martin minulou neděli koupil dvacet klíčů a osm květin.
Julia zůstane dva dny ve městě Bristol.
Náš strýc má telefonní číslo 511 410.
Potřebujeme devatenáct citronů.
Počasí ve městě York bude v úterý odpoledne suché.
Moje sestra se učí anglicky každou středu v půl druhé.
Teplota ve městě Split je minus sedm stupňů.
Simon bydlí v Nádražní ulici 52.
Thomas pracuje v šestnáctém patře.
Svatba začíná za 10 týdnů.
Potřebujeme 600 gramů cukru a šest litrů oleje.
Dvacet tři lahví a pět košil stojí dohromady 15,75 eura.
Simon má schůzku v pátek ve čtyři hodiny dvacet pět minut.
Film trvá padesát pět minut.
Moje babička minulou středu skončila na prvním místě.
Moje teta slaví narozeniny 7. června.
Adam bydlí v Tržní ulici 63.
V divadle jsou čtyři muži.
Dám si jednu polévku a tři saláty.
Ulice má 43 domů.
Škola má 2950 žáků.
Most je dlouhý devadesát čtyři metrů.
Viktor čte třetí kapitolu.
Šedé kolo váží osm kilogramů.
Moje teta čte desátou kapitolu.
Naše babička má schůzku ve čtvrtek v půl deváté.
Daniel loni vyhrál zápas osm tři.
Potřebujeme 450 gramů masa a šest litrů džusu.
Viktor pracuje v šestém patře.
Anna zůstane dva roky ve městě Dortmund.
Oslava začíná za čtrnáct minut.
Nádraží je ve čtvrtek večer zavřené.
Potřebujeme dvě stě gramů másla a tři litry vody.
Odpověď je na straně třináct.
Potřebujeme tři sta gramů rýže a šest litrů vody.
Nora slaví narozeniny čtrnáctého února.
Dvacet pět plus dvacet sedm je padesát dva.
Emma minulý měsíc koupila 34 knih a dvanáct jablek.
Eva zůstane devět měsíců ve městě Lyon.
Max slaví v pátek sedmdesáté první narozeniny.
Počasí ve městě Kiel bude v pátek večer slunečné.
Mé matce je sedmdesát tři let.
Emma hraje fotbal každou středu ve 12:30.
Končí přednáška ve čtvrt na čtyři?
Jedna plus třicet šest je třicet sedm.
Představení začíná v neděli 3. ledna v 11:35.
Pokoj stojí 2650 korun za týden.
Zkouška se koná dnes v místnosti 20.
Kino otevírá každou středu ve čtvrt na dvě.
Banka otevírá každé úterý ve čtvrt na šest.
Počasí ve městě Bristol bude v neděli větrné.
Leo zůstane deset let ve městě Madrid.
Svatba trvá 50 minut.
Julia má telefonní číslo 754 609.
Clara vaří každou sobotu ve čtyři hodiny.
Kód ke dveřím je sedm pět čtyři tři.
Norbert vaří každé pondělí v půl desáté.
Moje matka snídá v 10:30.
Noční vlak směr Madrid má 56 minut zpoždění.
13 jízdenek do města Rostock stojí 1800 korun.
Pokoj stojí dvacet devět korun za týden.
Muzeum je zítra zavřené.
Deset jízdenek do města Calais stojí 13,90 franku.
Emma pracuje v patnáctém patře.
Noční vlak směr Split odjíždí v 19:20 z nástupiště 15.
Sejdeme se v neděli v půl šesté na zámku.
Končí představení v 18:55?
Koberec váží 56 kilogramů.
Kolo stojí tisíc sedm set padesát dolarů za měsíc.
Simon má deset ovcí a sedmnáct knih.
Eva slaví narozeniny dvacátého šestého prosince.
Můj dědeček má telefonní číslo 238 702.
Svatba začíná za sedm dní.
Člun stojí dva tisíce padesát eur za týden.
Devět košil a šest lahví stojí dohromady 12 franků.
Autobus směr Bergen má 43 minut zpoždění.
Sejdeme se třetího září ve čtvrt na deset v bance.
Zkouška je dnes ve tři čtvrtě na šest.
Film se koná v úterý odpoledne v místnosti sto osmdesát čtyři.
Potřebujeme dvacet šest šálků.
V divadle je dvacet devět lékařů.
Laura hraje šachy každou středu ve čtvrt na osm.
Náš dědeček slaví v sobotu devadesáté první narozeniny.
Náš otec pracuje v šestém patře.
Můj dědeček bydlí v Květinové ulici 74.
Let sedm set dva směr Split přistává ve čtyři hodiny.
Nora bydlí v Mlýnské ulici 119.
V zásuvce leží devět míčů.
Potřebujeme osmdesát gramů sýra a sedm litrů vína.
Tramvaj směr Turku neodjíždí ve čtvrt na osm, ale v 10:40.
Mé matce je 46 let.
Naše babička vstává ve tři čtvrtě na deset.
Banka je otevřená od čtvrtka do pátku od 7:00 do 20:00.
Dám si jeden salát a jedno pivo.
Emma minulé úterý skončila na šestnáctém místě.
Autobus směr Turku má 30 minut zpoždění.
David má telefonní číslo 341 543.
Adresa je na straně osm.
Autobus směr Bordeaux odjíždí ve čtvrt na osm z nástupiště třináct.
Počasí ve městě Malmö bude ve čtvrtek bouřlivé.
Trh je otevřený od úterý do středy od 7:45 do 19:45.
Vlak směr Bergen neodjíždí ve čtvrt na osm, ale v 5:15.
Počasí ve městě Madrid bude v neděli ráno oblačné.
Na zámku je 12 studentů.
Moje dcera loni vyhrála zápas osm tři.
Oslava je v úterý v pět hodin.
Sejdeme se v sobotu v jednu hodinu třicet pět minut v divadle.
Náš otec má telefonní číslo 360 950.
Let čtyři sta šedesát pět směr Split přistává ve 20:25.
Julia má schůzku 9. září v devět hodin.
Dám si čtyři polévky a jedno pivo.
Zápas je v pondělí ve čtyři hodiny.
Naše babička kupuje jedenáct klobouků za 1900 korun.
Věž je vysoká padesát čtyři metrů.
Moje teta slaví narozeniny 29. ledna.
Na židli leží jedna láhev.
Můj dědeček slaví narozeniny devátého března.
Moje babička se narodila 18. května 1957.
Julia má telefonní číslo 792 922.
Potřebujeme šest set gramů mouky a deset litrů džusu.
Počasí ve městě Bonn bude v pátek odpoledne suché.
Clara začíná pracovat ve tři čtvrtě na osm.
Adresa je na straně 9.
Potřebujeme dvacet sedm pohlednic.
Moje teta bydlí v Zámecké ulici 59.
Nina včera vyhrála zápas sedm čtyři.
Potřebujeme dvacet brambor.
Vejce stojí v úterý o šedesát pět procent méně.
Zápas začíná v pátek dvacátého čtvrtého září ve dvě hodiny padesát pět minut.
Potřebujeme 16 míčů.
Lea čte třicátou kapitolu.
Anna čte dvacátou druhou kapitolu.
Sara kupuje sedmnáct míčů za devadesát šest korun.
Dvacet čtyři jízdenek do města Lyon stojí 16,30 koruny.
Končí porada v osm hodin?
Kolo váží padesát kilogramů.
Sejdeme se 9. ledna ve 22:15 na trhu.
Končí svatba v půl druhé?
Potřebujeme sto gramů rýže a šest litrů džusu.
Hotel má dvacet tři pokojů.
Laura pracuje ve třináctém patře.
Počasí ve městě Split bude v pátek chladné.
Zkouška začíná za 10 hodin.
Knihovna má šedesát sedm knih.
Vesnice má tisíc šest set obyvatel.
Kód ke kufru je jedna devět šest pět.
Zkouška začíná v úterý dvacátého pátého března ve tři čtvrtě na sedm.
Moje babička čte osmnáctou kapitolu.
Končí koncert ve čtvrt na osm?
Leo kupuje dvě láhve za dva tisíce pět set padesát dolarů.
Sejdeme se dnes v 7:20 v kině.
Potřebujeme 12 vajec.
Pět vajec a 17 pohlednic stojí dohromady čtyřicet šest eur.
Potřebujeme jedenáct jablek.
Park je otevřený od úterý do čtvrtka od 6:30 do 14:45.
Emma má telefonní číslo 646 714.
Výlet je šestnáctého února ve tři čtvrtě na šest.
Ida zůstane dva měsíce ve městě Nantes.
Knihovna otevírá každé pondělí ve tři hodiny.
Vesnice má sedmdesát osm obyvatel.
Simon pracuje v osmém patře.
Potřebujeme dvě láhve.
Knihovna má 2800 knih.
Vlak směr Bonn odjíždí ve 13:45 z nástupiště 9.
Počasí ve městě Ulm bude ve středu ráno deštivé.
Oliver slaví narozeniny 29. srpna.
Potřebujeme dvacet květin.
Končí přednáška ve čtyři hodiny čtyřicet minut?
Viktor minulý měsíc vyhrál zápas pět tři.
Potřebujeme osmdesát gramů sýra a devět litrů vína.
Tramvaj směr Kiel odjíždí ve čtyři hodiny z nástupiště jedenáct.
Autobus směr Bergen neodjíždí ve dvě hodiny, ale v půl šesté.
Dům stojí dvacet šest franků za měsíc.
Zápas je dvacátého pátého listopadu ve dvě hodiny.
Počasí ve městě Kiel bude ve středu ráno bouřlivé.
Let 322 směr Kiel přistává v 11:05.
Julia včera skončila na šestém místě.
Teplota ve městě Malmö je 18 stupňů.
Odpověď je na straně čtyřicet sedm.
Banka je 5. prosince zavřená.
Silnice směr Cardiff je dlouhá 15 kilometrů.
Teplota ve městě Turku je minus sedm stupňů.
Potřebujeme dvacet sedm brambor.
Mé matce je padesát pět let.
Laura minulý týden vyhrála zápas šest dva.
Náš syn minulou sobotu skončil na patnáctém místě.
Naše babička hraje na klavír každou středu ve 13:40.
Svatba začíná za dvě hodiny.
Výlet je dvacátého osmého září v půl sedmé.
Adam má schůzku v úterý v jedenáct hodin dvacet minut.
Počasí ve městě Turku bude v sobotu ráno bouřlivé.
Silnice směr Oxford je dlouhá třicet pět kilometrů.
Náš bratr minulý měsíc vyhrál zápas sedm pět.
Sejdeme se v sobotu ve tři čtvrtě na osm v muzeu.
Můj dědeček slaví narozeniny 17. května.
Tramvaj směr Oxford odjíždí ve čtvrt na devět z nástupiště 15.
Výlet trvá třináct dní.
Koncert je dnes ve tři čtvrtě na šest.
Kurz trvá 12 minut.
Můj bratr vstává ve čtvrt na devět.
Adam má telefonní číslo 452 860.
Dvanáct jízdenek do města Cardiff stojí tisíc sto korun.
37 klobouků a dvě tužky stojí dohromady dvě koruny.
Zápas začíná za sedm týdnů.
Eva loni vyhrála zápas sedm pět.
Sedm jízdenek do města Split stojí devět korun.
Leo bydlí v Květinové ulici 9.
Tramvaj směr Split má třicet tři minut zpoždění.
Moje dcera vstává v deset hodin.
Potřebujeme dvacet čtyři lamp.
Vlak směr Madrid odjíždí ve dvě hodiny z nástupiště 9.
Film začíná za pět dní.
16 citronů a sedm vajec stojí dohromady sedm franků.
Silnice směr Oxford je dlouhá dva kilometry.
Silnice směr Ulm je dlouhá padesát pět kilometrů.
Dám si pět dortů a šest salátů.
V lednu jede můj strýc na deset týdnů do města Lyon.
Náš dědeček kupuje deset vajec za osmnáct korun.
Leo čte dvanáctou kapitolu.
Let 814 směr Lyon přistává ve čtvrt na dvanáct.
Svatba je třetího října v půl čtvrté.
Porada se koná v úterý večer v místnosti 4.
V krabici leží tři jablka.
Lea má sedm koček a šest lamp.
Kolik stojí jeden klobouk?
Sejdeme se 1. ledna v jednu hodinu v restauraci.
Škola je otevřená od úterý do čtvrtka od 6:45 do 22:15.
Náš syn má schůzku ve středu ve tři hodiny.
Silnice směr Leeds je dlouhá čtyřicet pět kilometrů.
Radnice je otevřená od pondělí do pátku od 9:15 do 18:30.
Můj dědeček má šest koní a 35 citronů.
Na židli leží 13 nožů.
Potřebujeme pět míčů.
Výlet je v pondělí v půl třetí.
Dám si dva dorty a jednu pizzu.
Martin zůstane pět let ve městě Calais.
Teplota ve městě Dublin je osmnáct stupňů.
David vstává v jedenáct hodin.
Porada začíná v úterý druhého února v šest hodin.
Začínám pracovat v deset hodin.
Teplota ve městě Dortmund je minus šest stupňů.
V lednu jede Daniel na devět let do města Lyon.
Kino otevírá každý čtvrtek ve čtyři hodiny.
Končí přednáška ve tři hodiny?
Počasí ve městě Bonn bude v pátek slunečné.
Oliver slaví dnes jedenácté narozeniny.
Robert má telefonní číslo 705 771.
Divadlo má devadesát devět míst.
Naše teta čte šestou kapitolu.
Julia slaví dnes dvacáté čtvrté narozeniny.
Člun stojí 19,25 dolaru za den.
Mé tetě je 85 let.
Tramvaj směr Bonn má třináct minut zpoždění.
V kuchyni leží devět lahví.
Výlet začíná ve středu 23. prosince v sedm hodin čtyřicet minut.
V květnu jede naše babička na šestnáct dní do města Calais.
Sara se narodila dvacátého šestého března 1995.
Simon slaví dvacátého devátého října třicáté čtvrté narozeniny.
Potřebujeme pět časopisů.
Silnice směr Malmö je dlouhá sedm kilometrů.
David čte třicátou druhou kapitolu.
Škola otevírá každou středu v sedm hodin třicet pět minut.
Dám si tři saláty a jeden dort.
Eva má čtyři ptáky a dvacet šest klobouků.
Noční vlak směr Split odjíždí ve tři čtvrtě na tři z nástupiště 3.
V košíku leží čtyři jablka.
Nina má sedm krav a čtyři láhve.
Leo čte třicátou druhou kapitolu.
V parku je sedm dětí.
Moje matka hraje tenis každou neděli v 19:45.
Kód ke garáži je pět tři pět dva.
Kino bylo postaveno v roce tisíc sedm set devadesát jedna.
Nádraží je otevřené od pondělí do čtvrtka od 10:45 do 19:15.
Výlet je ve čtvrtek ve čtvrt na dvanáct.
Oliver slaví narozeniny sedmého července.
Film je v sobotu v 8:45.
Potřebujeme 17 nožů.
Dám si šest salátů a jeden dort.
Věž je vysoká devadesát metrů.
Časopis stojí čtyřicet čtyři eur.
Vlak směr Cardiff má sedm minut zpoždění.
Viktor minulou středu koupil šest knih a sedm pohlednic.
Večeříme ve tři hodiny.
Kód k sejfu je jedna čtyři nula.
Počasí ve městě Oxford bude dnes teplé.
Martin pracuje ve třináctém patře.
Můj strýc má telefonní číslo 543 637.
Zahrada je dlouhá čtyři metry.
Loď je dlouhá osm metrů.
Sejdeme se ve čtvrtek ve čtvrt na sedm na radnici.
V hotelu jsou dva studenti.
Simon loni koupil 33 klíčů a osm vajec.
Počítače stojí v sobotu večer o dvacet procent méně.
Nora plave každý čtvrtek ve 12:10.
Viktor bydlí v Nádražní ulici 46.
Můj dědeček čte třicátou osmou kapitolu.
Večeřím v 17:35.
Divadlo otevírá každé úterý v 10:30.
Nina minulý týden vyhrála zápas čtyři dva.
Emma slaví v úterý osmnácté narozeniny.
Bílý obraz váží čtyřicet šest kilogramů.
Svatba se koná 24. října v místnosti 9.
Představení trvá pět týdnů.
Náš syn má schůzku dnes v jednu hodinu.
Černá květina stojí osm franků.
Přednáška se koná dvanáctého ledna v místnosti čtyři.
V srpnu jede Anna na dva měsíce do města Bonn.
Porada začíná v pondělí prvního února v jedenáct hodin dvacet pět minut.
Lampa stojí padesát šest eur.
Leo minulé úterý koupil dvě květiny a 13 pohlednic.
Muzeum je v neděli večer zavřené.
V dubnu jede Nora na dva měsíce do města York.
Film trvá padesát devět minut.
17 jízdenek do města Calais stojí pět franků.
Škola má sto dvacet žáků.
12 květin a jedna brambora stojí dohromady osmdesát devět korun.
Modrý stůl váží čtyři kilogramy.
V září jede moje dcera na deset let do města Dublin.
Teplota ve městě Leeds je čtyři stupně.
Přednáška začíná za 15 minut.
Zkouška začíná za devět hodin.
Restaurace otevírá každý pátek ve čtvrt na tři.
Končí zkouška ve 20:40?
Představení se koná v neděli večer v místnosti 12.
Můj syn slaví narozeniny osmnáctého července.
Naše sestra se narodila 17. srpna tisíc devět set osmdesát čtyři.
Kolik stojí čtyři knihy?
Kód ke sklepu je dva osm čtyři.
Hotel otevírá každou sobotu ve tři hodiny padesát minut.
Výlet začíná v pondělí 12. května v 19:40.
Šest šálků a tři květiny stojí dohromady sto devatenáct franků.
Moje babička má telefonní číslo 560 754.
Devět krát sedm je šedesát tři.
Park byl postaven v roce 1813.
Film je dvacátého čtvrtého dubna v 17:15.
Židle stojí devatenáctého prosince o šedesát pět procent méně.
Tramvaj směr Rostock má dvacet čtyři minut zpoždění.
Dům stojí 28,70 franku za týden.
Kino bylo postaveno v roce tisíc sedm set devadesát pět.
Hotel má devatenáct pokojů.
18 citronů a šest tužek stojí dohromady devět franků.
Můj bratr kupuje dvacet čtyři lamp za 44 korun.
Trh je otevřený od středy do pátku od 11:30 do 23:30.
Sejdeme se ve čtvrtek v deset hodin v restauraci.
Teplota ve městě Dortmund je pět stupňů.
Divadlo bylo postaveno v roce 1739.
Banka je ve středu ráno zavřená.
V listopadu jede náš syn na devět dní do města Malmö.
Dvacet tři pohlednic a 35 klobouků stojí dohromady šest korun.
Autobus směr Calais odjíždí v 7:15 z nástupiště 18.
Hotel má 800 pokojů.
Moje teta slaví narozeniny 17. května.
Ida minulou sobotu koupila osm míčů a jeden citron.
Dám si dvě kávy a dvě polévky.
Sejdeme se 18. června ve tři čtvrtě na pět v knihovně.
Moje teta má jednu kočku a 10 nožů.
Sejdeme se 31. října ve tři čtvrtě na osm na radnici.
Čtyři jízdenky do města Bergen stojí čtyři franky.
Film trvá dvě hodiny.
V listopadu jede Eva na dvacet dní do města Dortmund.
V červenci jede moje matka na šest týdnů do města Porto.
Kurz začíná ve čtvrtek třicátého srpna v 10:55.
Noční vlak směr Dublin odjíždí v 11:50 z nástupiště čtrnáct.
Adam začíná pracovat v jedenáct hodin dvacet minut.
Naše dcera minulou sobotu koupila dvacet osm klíčů a třicet míčů.
Divadlo má 40 míst.
Osm jízdenek do města Bristol stojí 11 eur.
Emma slaví narozeniny šestého září.
Dvacet devět jízdenek do města Bristol stojí 1650 dolarů.
Vlak směr Calais odjíždí v půl dvanácté z nástupiště 12.
Clara čte patnáctou kapitolu.
Koncert začíná v sobotu šestnáctého října v sedm hodin padesát minut.
Divadlo má dvacet míst.
Teplota ve městě Lyon je třináct stupňů.
Náš syn loni vyhrál zápas osm čtyři.
Míč stojí 28,80 koruny.
Zápas je čtrnáctého července v 6:10.
V kuchyni leží jeden klobouk.
Náš dědeček zůstane osmnáct dní ve městě Calais.
Noční vlak směr Kiel má čtyři minuty zpoždění.
Divadlo je otevřené od čtvrtka do pátku od 10:00 do 21:15.
Noční vlak směr Rostock odjíždí ve čtvrt na deset z nástupiště 7.
Náš bratr slaví narozeniny třináctého května.
Škola je ve čtvrtek zavřená.
Porada se koná ve středu ráno v místnosti 14.
Knihovna byla postavena v roce tisíc sedm set dvacet osm.
Silnice směr Bonn je dlouhá deset kilometrů.
Leo včera vyhrál zápas osm pět.
Potřebujeme tři sta padesát gramů masa a jeden litr džusu.
Oliver se narodil sedmnáctého července 2018.
Silnice směr Kiel je dlouhá dva kilometry.
Robert má telefonní číslo 695 862.
Náš bratr minulý týden koupil čtyři citrony a jednu košili.
Začínám pracovat v jednu hodinu.
V košíku leží 11 klobouků.
Ulice je široká pět metrů.
Počítače stojí v pátek ráno o sedmdesát procent méně.
Začínáme pracovat ve čtyři hodiny.
Náš dědeček slaví narozeniny 1. října.
Žlutá židle váží jedenáct kilogramů.
Snídám ve 12:10.
Recept je na straně pět.
Dvacet sedm jízdenek do města Bergen stojí tři dolary.
Počasí ve městě York bude dvacátého osmého února bouřlivé.
Noční vlak směr Bordeaux má 37 minut zpoždění.
Robert slaví narozeniny 16. dubna.
Končí porada v půl sedmé?
Maria slaví narozeniny dvacátého prvního května.
Náš otec bydlí v Zámecké ulici 27.
Norbert se narodil 2. prosince tisíc devět set šedesát pět.
Škola má 2300 žáků.
Končí porada v pět hodin?
Moje sestra pracuje v devátém patře.
10 tužek a jeden citron stojí dohromady devět franků.
Teplota ve městě Madrid je minus jedenáct stupňů.
Pět krát osm je čtyřicet.
Radnice je otevřená od pondělí do pátku od 8:30 do 23:30.
Noční vlak směr Bonn neodjíždí ve čtvrt na dvanáct, ale v devět hodin dvacet pět minut.
Silnice směr Bergen je dlouhá sedm kilometrů.
Svatba se koná v pátek odpoledne v místnosti sedmdesát čtyři.
Kód ke dveřím je tři dva pět tři.
Zámek je otevřený od úterý do neděle od 11:45 do 23:45.
Potřebujeme 10 jablek.
Stůl váží čtyřicet kilogramů.
Koncert je 28. září v půl osmé.
V muzeu je čtyřicet tři turistů.
Zkouška se koná v sobotu večer v místnosti devět.
Dám si jeden dort a tři saláty.
Odpověď je na straně dvanáct.
Moje sestra má dva koně a dvanáct jablek.
Můj strýc čte třicátou třetí kapitolu.
Náš dědeček slaví narozeniny třicátého května.
Sara má tři ovce a 25 jablek.
Třicet šest plus třicet pět je sedmdesát jedna.
Mému dědečkovi je 75 let.
Výlet začíná za osm týdnů.
Potřebujeme sto gramů cukru a deset litrů vína.
Citrony stojí v pátek odpoledne o třicet pět procent méně.
Škola je v pondělí odpoledne zavřená.
Nora slaví narozeniny devátého července.
Nora zůstane dva roky ve městě Split.
Silnice směr Cardiff je dlouhá pět kilometrů.
V listopadu jede náš syn na šest měsíců do města York.
Silnice směr Malmö je dlouhá jeden kilometr.
Silnice směr Bonn je dlouhá jedenáct kilometrů.
Film se koná 21. září v místnosti 16.
Moje teta bydlí v Nádražní ulici 95.
Zkouška se koná dnes v místnosti sedmnáct.
Oslava je v pondělí ve tři čtvrtě na tři.
Kód ke dveřím je jedna osm osm osm.
Kolik stojí třicet citronů?
Max slaví 7. května jedenácté narozeniny.
Sejdeme se zítra v půl druhé na trhu.
Mé tetě je sedmdesát sedm let.
Zápas je čtrnáctého března ve čtvrt na osm.
Kolik stojí dvě lampy?
V zásuvce leží osmnáct vajec.
Adam minulou neděli skončil na šestém místě.
Film trvá osm hodin.
Osm krát sedm je padesát šest.
Simon vstává v šest hodin.
Kolik stojí sedm míčů?
Na nádraží jsou tři lékaři.
Robert zůstane tři měsíce ve městě Dublin.
Vlak směr Turku má šest minut zpoždění.
Adam včera koupil třináct lžic a 26 brambor.
Kód ke kufru je osm tři čtyři.
Noční vlak směr Lyon neodjíždí v půl sedmé, ale ve čtvrt na jedenáct.
Naše dcera má pět koní a třicet čtyři jablek.
Devět krát dva je osmnáct.
Naše teta bydlí v Mlýnské ulici 41.
Kino je 3. října zavřené.
Tramvaj směr York odjíždí ve čtvrt na dvě z nástupiště 19.
Anna slaví narozeniny třetího srpna.
Náš syn má telefonní číslo 306 843.
Tunel je dlouhý sedm metrů.
V zásuvce leží deset košil.
Autobus směr Porto má 20 minut zpoždění.
Zkouška začíná za sedm minut.
Židle stojí deset franků.
16 jízdenek do města Dublin stojí tři sta franků.
Max čte třicátou třetí kapitolu.
Nora se narodila 25. června 2004.
Moje dcera čte dvacátou osmou kapitolu.
Tunel je dlouhý devět metrů.
Košile stojí dvacet čtyři korun.
Emma bydlí v Zámecké ulici 92.
Tramvaj směr Bristol neodjíždí ve čtyři hodiny dvacet pět minut, ale v devět hodin.
Autobus směr Porto má 15 minut zpoždění.
Nora zůstane devět dní ve městě Nantes.
Náš bratr slaví narozeniny dvacátého třetího května.
Ve škole je 56 hostů.
Laura minulou neděli skončila na dvanáctém místě.
Moje sestra má schůzku ve čtvrtek ve 13:35.
Kolik stojí 10 klobouků?
Clara zůstane jeden týden ve městě Calais.
Porada se koná v úterý ráno v místnosti čtyřicet šest.
Maria loni vyhrála zápas osm pět.
Film začíná v úterý dvacátého šestého července v 5:35.
Eva slaví dnes sedmdesáté první narozeniny.
Můj syn slaví narozeniny 17. února.
Začínám pracovat v půl druhé.
Potřebujeme sedm květin.
Clara má schůzku sedmnáctého července v půl deváté.
Vstáváme ve tři hodiny dvacet pět minut.
Obraz váží šest kilogramů.
Fotografie je na straně 194.
Kód ke garáži je jedna šest osm jedna.
Našemu synovi je 16 let.
Robert má osm koček a 39 košil.
V kavárně je 46 studentů.
Clara snídá v půl deváté.
Deset jízdenek do města Leeds stojí dva tisíce dvě stě franků.
Film začíná v úterý šestého května v sedm hodin třicet pět minut.
Mému strýci je 66 let.
Eva čte pátou kapitolu.
Nádraží je v pondělí ráno zavřené.
Můj strýc zůstane deset dní ve městě Split.
Náš strýc čte devátou kapitolu.
Mé matce je 47 let.
Noční vlak směr Turku odjíždí v osm hodin padesát minut z nástupiště jedna.
V říjnu jede moje sestra na osm měsíců do města Oxford.
Naší matce je 78 let.
Stůl váží šest kilogramů.
Koncert je šestého února ve tři čtvrtě na pět.
Eva slaví narozeniny druhého června.
Kód k telefonu je sedm tři tři.
V září jede můj syn na osmnáct dní do města Oxford.
Dům stojí tisíc čtyři sta padesát dolarů za den.
Naší babičce je čtyřicet čtyři let.
Obraz váží osm kilogramů.
V listopadu jede náš syn na pět týdnů do města Bristol.
Vlak směr Dublin má třicet devět minut zpoždění.
Dám si dvě kávy a jeden čaj.
Lea má schůzku 20. března v deset hodin.
Lea pracuje ve třináctém patře.
Moje sestra čte šestou kapitolu.
Potřebujeme padesát gramů cukru a 10 litrů vína.
Končí film ve čtvrt na sedm?
Šálky stojí dnes o padesát pět procent méně.
Tři tužky a deset vajec stojí dohromady 28,25 franku.
Náš syn bydlí v Lesní ulici 55.
Daniel minulou neděli skončil na druhém místě.
Moje babička minulou neděli skončila na prvním místě.
Oliver pracuje v jedenáctém patře.
Člun stojí 2500 eur za týden.
Daniel zůstane šest měsíců ve městě Calais.
Seznam je na straně dvě stě šedesát pět.
V muzeu je šest dětí.
Počasí ve městě Calais bude dvacátého šestého září chladné.
Muzeum je v úterý odpoledne zavřené.
Kavárna je v pondělí odpoledne zavřená.
V krabici leží jeden citron.
Teplota ve městě York je dva stupně.
Kufr stojí 28,80 koruny.
Tramvaj směr York neodjíždí v deset hodin dvacet pět minut, ale ve tři hodiny.
Let 520 směr Ulm přistává ve 14:55.
V červenci jede moje matka na dva týdny do města Split.
Obraz váží jeden kilogram.
Zkouška se koná devátého února v místnosti 1.
Věž je vysoká devět metrů.
Noční vlak směr York má 55 minut zpoždění.
Moje matka zůstane dva týdny ve městě Bordeaux.
Zahrada je dlouhá šedesát sedm metrů.
Potřebujeme pět šálků.
V říjnu jede Maria na pět týdnů do města Bergen.
Banka byla postavena v roce 1772.
Let pět set devadesát jedna směr Dortmund přistává v deset hodin padesát pět minut.
Oslava trvá dvě hodiny.
Přednáška se koná dnes v místnosti tři sta padesát tři.
Jedna jízdenka do města Leeds stojí dvě eura.
Kurz se koná ve středu ráno v místnosti devatenáct.
Naše dcera kupuje čtyřicet lamp za osm korun.
Obědvám v sedm hodin.
Julia má dvě kočky a pět košil.
Max má devět krav a 40 květin.
Stůl váží 38 kilogramů.
Červený kufr váží šest kilogramů.
Náš bratr čte šestou kapitolu.
Vstávám v jedenáct hodin.
Svatba trvá čtyři hodiny.
Sejdeme se zítra v sedm hodin v restauraci.
Láhev stojí šedesát eur.
Nina bydlí v Mlýnské ulici 72.
Výlet se koná zítra v místnosti 13.
Sejdeme se zítra ve tři čtvrtě na dvě v bance.
Moje teta má schůzku v sobotu v jednu hodinu.
Film se koná třicátého prvního října v místnosti dvě stě dvacet čtyři.
V kuchyni leží jedenáct klíčů.
Knihovna otevírá každé úterý ve tři čtvrtě na čtyři.
Radnice je otevřená od pondělí do pátku od 10:45 do 15:00.
Zelené vejce stojí 11 eur.
Našemu bratrovi je sedm let.
Let čtyři sta osmdesát jedna směr Malmö přistává ve čtvrt na osm.
Silnice směr Split je dlouhá jeden kilometr.
Divadlo otevírá každou sobotu ve 20:25.
Dám si jeden čaj a dvě polévky.
Moje teta má telefonní číslo 745 177.
Knihovna otevírá každou středu ve 13:30.
Vstáváme v šest hodin.
Kód ke dveřím je pět nula osm pět.
Zámek je otevřený od pátku do soboty od 9:30 do 17:30.
Eva minulou sobotu vyhrála zápas čtyři jedna.
Šedý kufr váží devět kilogramů.
Moje babička pracuje v jedenáctém patře.
Let čtyři sta dvacet čtyři směr Calais přistává ve 14:25.
Vlak směr Porto odjíždí ve dvě hodiny z nástupiště 4.
Lžíce stojí v úterý ráno o padesát procent méně.
Odpověď je na straně 94.
Koncert začíná v pátek druhého listopadu ve čtvrt na osm.
Potřebujeme 25 časopisů.
Clara kupuje 10 klíčů za 12 franků.
Let 765 směr Split přistává ve dvě hodiny.
Svatba je v pátek v půl osmé.
Žlutá židle váží 30 kilogramů.
Můj strýc hraje šachy každou středu v šest hodin.
Potřebujeme dvě stě padesát gramů rýže a 10 litrů vína.
Oliver zůstane tři měsíce ve městě Porto.
Člun stojí dva tisíce šest set korun za týden.
Kód ke kufru je nula nula nula.
Čtyřicet lahví a deset lžic stojí dohromady dvanáct franků.
Park otevírá každý pátek v půl osmé.
Končí porada v 8:25?
Teplota ve městě York je čtyři stupně.
Kód k sejfu je čtyři osm jedna.
Teplota ve městě Ulm je 12 stupňů.
Nora má schůzku ve čtvrtek ve tři čtvrtě na sedm.
Klobouky stojí v sobotu večer o pět procent méně.
Ida kupuje pět košil za jedenáct dolarů.
Restaurace byla postavena v roce 1732.
Čtyřicet šest minus dvacet devět je sedmnáct.
Počasí ve městě Madrid bude v neděli ráno deštivé.
Silnice směr Calais je dlouhá osmdesát sedm kilometrů.
Naší matce je čtyřicet sedm let.
Na stole leží 11 tužek.
Výlet trvá deset dní.
Noční vlak směr Calais odjíždí ve tři čtvrtě na osm z nástupiště dvanáct.
Simon pracuje v desátém patře.
Naše teta slaví narozeniny třicátého června.
Nora slaví narozeniny dvacátého druhého července.
Ida má telefonní číslo 378 504.
Porada začíná za pět týdnů.
Radnice je 12. ledna zavřená.
Dva plus tři je pět.
Přednáška začíná v pondělí čtvrtého května ve tři čtvrtě na jedenáct.
Věž je vysoká padesát sedm metrů.
Dvacet sedm jízdenek do města Leeds stojí sedmdesát čtyři korun.
Daniel bydlí v Kostelní ulici 100.
Banka otevírá každý pátek v šest hodin.
Leo minulou středu koupil jedenáct lamp a třicet šest brambor.
Zápas se koná dnes v místnosti 32.
Dvacet devět jízdenek do města Rostock stojí 46 eur.
Simon bydlí v Mlýnské ulici 54.
Odpověď je na straně 21.
Potřebujeme tři košile.
Adresa je na straně 175.
Ida čte dvacátou druhou kapitolu.
Můj bratr slaví 22. února čtrnácté narozeniny.
Dvacet dva plus šest je dvacet osm.
Naše sestra slaví narozeniny sedmého května.
Oliver se narodil sedmnáctého září 2023.
Kolik stojí devatenáct jablek?
Odpověď je na straně 1.
Moje matka čte patnáctou kapitolu.
Tři jízdenky do města Kiel stojí devět dolarů.
Náš dědeček hraje šachy každou středu v 8:30.
Naše babička minulý týden skončila na pátém místě.
Naše dcera hraje fotbal každou neděli v 9:30.
Svatba je pátého července v sedm hodin.
Tramvaj směr Bristol neodjíždí v 6:05, ale v pět hodin dvacet pět minut.
Přednáška se koná v neděli ráno v místnosti osmdesát dva.
Bílý kabát váží 19 kilogramů.
Naše dcera pracuje v osmém patře.
Viktor loni vyhrál zápas pět dva.
Koncert začíná za třináct minut.
Bílý obraz stojí 44 korun.
Emma minulý čtvrtek vyhrála zápas sedm čtyři.
Clara minulou sobotu skončila na osmnáctém místě.
Šest jízdenek do města Calais stojí padesát eur.
Škola otevírá každý pátek v 16:55.
Sedmdesát čtyři minus šestnáct je padesát osm.
Zámek otevírá každé pondělí ve tři hodiny.
Mému bratrovi je patnáct let.
Naše dcera bydlí v Mostní ulici 22.
Kód ke kufru je nula osm tři.
Odpověď je na straně sto čtyřicet osm.
Oslava je dvacátého druhého dubna v 9:45.
Kód ke kufru je šest sedm čtyři jedna.
Košile stojí v úterý večer o deset procent méně.
Mému otci je šedesát šest let.
Končí zápas ve tři čtvrtě na jedenáct?
Kolo stojí 14,95 dolaru za měsíc.
Divadlo má 28 míst.
Zápas trvá 11 minut.
Ida minulou středu vyhrála zápas sedm čtyři.
Kavárna je 1. listopadu zavřená.
Emma slaví narozeniny devatenáctého září.
12 košil a patnáct brambor stojí dohromady jedenáct franků.
Let sto devadesát pět směr Kiel přistává ve tři čtvrtě na šest.
Tužka stojí šest korun.
Počasí ve městě Bristol bude v úterý odpoledne oblačné.
Naše sestra bydlí v Lesní ulici 97.
Škola byla postavena v roce 1763.
Radnice byla postavena v roce tisíc devět set třicet jedna.
Ida se narodila dvacátého šestého března 1952.
V únoru jede moje matka na 16 dní do města Dortmund.
Zelený nůž stojí 10 eur.
Kavárna byla postavena v roce 1621.
Tunel je dlouhý 35 metrů.
Teplota ve městě Bonn je šest stupňů.
Anna začíná pracovat v 19:20.
Dvacet osm lahví a devět míčů stojí dohromady 64 korun.
Můj otec pracuje v pátém patře.
Kolik stojí sedm nožů?
Potřebujeme 29 klíčů.
Počasí ve městě Calais bude třicátého října příjemné.
V knihovně je třicet mužů.
Moje teta minulý měsíc skončila na sedmnáctém místě.
Dvacet osm minus deset je osmnáct.
Kino je otevřené od středy do pátku od 10:30 do 15:00.
Nora kupuje dvacet tři klíčů za 66 dolarů.
Lampa stojí dva dolary.
Řeka je široká třináct metrů.
Počasí ve městě Dublin bude v úterý odpoledne deštivé.
Noční vlak směr Bristol odjíždí ve čtvrt na tři z nástupiště 14.
Výlet začíná za třicet čtyři minut.
Odpověď je na straně tři sta šestnáct.
Moje teta minulý měsíc skončila na devátém místě.
Dva krát deset je dvacet.
Viktor minulé pondělí vyhrál zápas osm tři.
Thomas bydlí v Zámecké ulici 51.
Můj syn bydlí v Mostní ulici 38.
Silnice směr Split je dlouhá dvacet osm kilometrů.
Nora zůstane pět dní ve městě Cardiff.
Škola má 40 žáků.
Most je dlouhý dvacet šest metrů.
Kód ke sklepu je čtyři šest osm čtyři.
Ida zůstane šest měsíců ve městě Calais.
Tramvaj směr Split má sedm minut zpoždění.
Náš otec minulé pondělí vyhrál zápas tři dva.
Divadlo bylo postaveno v roce 1681.
Fotografie je na straně 17.
Výlet začíná ve středu pátého září ve 12:20.
Představení začíná ve středu 6. června v deset hodin čtyřicet minut.
Ida čte šestou kapitolu.
V hotelu je čtyřicet osm dětí.
Max zůstane osm týdnů ve městě Calais.
Naše teta má telefonní číslo 489 270.
Teplota ve městě Calais je minus osm stupňů.
Kód ke dveřím je šest čtyři jedna.
Moje sestra minulý týden skončila na devatenáctém místě.
Julia kupuje šest jablek za šest eur.
Klobouk stojí 2600 dolarů.
Nina má schůzku 5. prosince v šest hodin dvacet minut.
Počítač váží jedenáct kilogramů.
Banka otevírá každý čtvrtek ve tři čtvrtě na čtyři.
Můj strýc bydlí v Mostní ulici 26.
Byt stojí dvacet pět dolarů za týden.
Dvanáct jízdenek do města Oslo stojí čtyři franky.
Koncert trvá pět týdnů.
Autobus směr Oxford má šest minut zpoždění.
Naše sestra se narodila 30. listopadu tisíc devět set padesát dva.
Mé dceři je sedm let.
Zkouška začíná za dva týdny.
Garáž stojí čtyřicet pět dolarů za měsíc.
Koncert začíná za osm minut.
Končí koncert v šest hodin?
Končí přednáška v osm hodin?
Přednáška je dnes v šest hodin.
Sejdeme se třicátého března v sedm hodin v bance.
Max pracuje ve čtrnáctém patře.
V srpnu jede můj otec na čtyři týdny do města Turku.
Thomas má telefonní číslo 213 296.
Potřebujeme 200 gramů másla a dva litry vína.
Dvacet tři lahví a sedm jablek stojí dohromady třináct dolarů.
Moje teta pracuje v šestém patře.
Škola má 15 žáků.
Svatba trvá dvě hodiny.
Nina má telefonní číslo 309 645.
Tramvaj směr Oslo neodjíždí ve tři hodiny, ale v jednu hodinu.
Na zámku je 14 mužů.
Žluté jablko stojí 95 korun.
Představení začíná za devět hodin.
Kolik stojí jedno vejce?
Představení se koná v sobotu večer v místnosti 5.
Zápas začíná za pět týdnů.
Zelený počítač váží osmnáct kilogramů.
Naše matka minulý pátek vyhrála zápas čtyři jedna.
Ulice je široká 73 metrů.
Auto stojí dvacet pět dolarů za den.
Kolik stojí deset lahví?
Náš bratr pracuje v osmém patře.
Můj syn pracuje ve druhém patře.
Představení trvá osm týdnů.
Devět krát osm je sedmdesát dva.
Nina má schůzku 21. prosince ve tři čtvrtě na sedm.
Koncert trvá čtrnáct minut.
16 jízdenek do města Cardiff stojí 85 eur.
Tunel je dlouhý šedesát metrů.
Kolo stojí osmdesát devět dolarů za měsíc.
Divadlo bylo postaveno v roce tisíc šest set padesát čtyři.
Oliver zůstane tři měsíce ve městě Leeds.
Hotel má 78 pokojů.
Mému synovi je jeden rok.
Začínám pracovat v 15:10.
Představení začíná v pátek čtvrtého prosince v šest hodin.
Třicet pět minus dvacet je patnáct.
Dám si šest salátů a čtyři dorty.
Zkouška je 24. prosince ve čtvrt na deset.
Knihovna byla postavena v roce 1740.
Kód ke kufru je jedna čtyři sedm.
Teplota ve městě Oslo je sedmnáct stupňů.
Dám si šest polévek a jeden dort.
Dvacet pět jízdenek do města Madrid stojí šest dolarů.
Výlet je 4. prosince v 8:55.
Šest krát čtyři je dvacet čtyři.
Počítač váží třicet devět kilogramů.
Naše matka snídá v 16:20.
V knihovně jsou čtyři muži.
Sejdeme se desátého října v 11:00 na zámku.
Moje sestra slaví dnes patnácté narozeniny.
Moje sestra pracuje v osmém patře.
Dva krát devět je osmnáct.
Adam má schůzku v úterý v 6:25.
Škola je otevřená od čtvrtka do neděle od 8:30 do 23:15.
Šedý kabát stojí 21,10 franku.
Můj otec má schůzku šestého července v šest hodin dvacet minut.
Viktor minulý čtvrtek vyhrál zápas sedm tři.
Clara zůstane devět měsíců ve městě Ulm.
Přicházím domů ve tři hodiny.
Klobouky stojí v pondělí o sedmdesát procent méně.
V únoru jede moje dcera na osm měsíců do města Kiel.
Knihovna je otevřená od úterý do středy od 11:30 do 16:00.
Let sedm set dvacet směr Nantes přistává ve čtvrt na čtyři.
Kód ke dveřím je devět devět devět pět.
Moje matka se narodila 22. srpna tisíc devět set devadesát pět.
Let devět set padesát pět směr Lyon přistává v 9:05.
Naše babička slaví narozeniny šestého července.
Simon plave každou sobotu ve tři čtvrtě na tři.
Představení je dnes ve tři čtvrtě na devět.
Most je dlouhý devadesát pět metrů.
Oliver minulé úterý koupil 19 šálků a 13 lamp.
Loď je dlouhá 11 metrů.
Bílý klíč stojí 13,20 eura.
Kino je v pátek zavřené.
Počasí ve městě Cardiff bude v úterý ráno mlhavé.
Sara čte dvacátou první kapitolu.
Sejdeme se zítra ve 21:35 v parku.
Laura bydlí v Mostní ulici 72.
Ve škole je šest dětí.
Náš otec vaří každou středu v půl čtvrté.
Let tři sta sedmdesát pět směr Malmö přistává ve čtyři hodiny.
V košíku leží osmnáct jablek.
Adam přichází domů v deset hodin.
Park je otevřený od pondělí do pátku od 10:00 do 21:15.
Sara má dvě ovce a dvacet osm knih.
Simon bydlí v Tržní ulici 21.
V košíku leží tři míče.
David slaví narozeniny 16. ledna.
Emma pracuje ve třetím patře.
Thomas pracuje v jedenáctém patře.
12 jízdenek do města Dublin stojí osmdesát tři franků.
Moje sestra se narodila dvacátého čtvrtého ledna 1966.
Přicházím domů v šest hodin.
Autobus směr Kiel odjíždí ve tři čtvrtě na sedm z nástupiště dva.
Byt stojí 12,65 koruny za den.
Kolik stojí sedmnáct brambor?
Obědvám v půl sedmé.
Moje dcera snídá v devět hodin dvacet minut.
Moje dcera se narodila devatenáctého listopadu tisíc devět set osmdesát šest.
Počasí ve městě Dortmund bude v pondělí ráno deštivé.
Teplota ve městě Bergen je pět stupňů.
Deset časopisů a dvě láhve stojí dohromady šest korun.
Oliver zůstane pět dní ve městě Bergen.
Dům stojí čtyřicet šest korun za týden.
Dvacet šest jízdenek do města Ulm stojí devět dolarů.
Dvacet čtyři jízdenek do města Madrid stojí pět dolarů.
Laura slaví narozeniny dvacátého šestého ledna.
Clara zůstane jedenáct let ve městě Bordeaux.
Můj otec má deset ptáků a 26 pohlednic.
Leo čte sedmou kapitolu.
Radnice je v pondělí odpoledne zavřená.
Koncert se koná dvacátého sedmého července v místnosti devadesát.
Adam pracuje v jedenáctém patře.
Mé matce je 49 let.
Julia slaví v pondělí devadesáté první narozeniny.
Noční vlak směr Rostock neodjíždí ve tři čtvrtě na deset, ale ve čtvrt na čtyři.
Potřebujeme devět lžic.
Člun stojí 25 franků za měsíc.
Pět jízdenek do města Bordeaux stojí dva tisíce dvě stě eur.
Končí výlet v jednu hodinu padesát pět minut?
Kolo stojí 29 franků za týden.
Nora slaví narozeniny 26. července.
Noční vlak směr Calais neodjíždí ve čtvrt na šest, ale ve 22:00.
Simon pracuje v patnáctém patře.
Pod postelí leží tři láhve.
Představení začíná za 44 minut.
Hotel je otevřený od úterý do neděle od 9:30 do 22:45.
Svatba je dvanáctého února v deset hodin.
Náš bratr minulé úterý koupil 39 pohlednic a šestnáct citronů.
Nina má tři ovce a dvě knihy.
Dům stojí čtyřicet dolarů za týden.
10 jízdenek do města York stojí čtyřicet tři korun.
Přednáška se koná 29. července v místnosti sedmdesát šest.
Martin má devět ovcí a dvanáct košil.
Kolo váží 25 kilogramů.
V restauraci je 49 studentů.
Moje teta má dvanáct koní a třicet tři květin.
Kino bylo postaveno v roce 1860.
Ve škole je jedno dítě.
Vlak směr Malmö neodjíždí v jedenáct hodin, ale ve čtvrt na jedenáct.
Počasí ve městě Dublin bude 2. září větrné.
Náš dědeček včera skončil na druhém místě.
Věž je vysoká sedmdesát sedm metrů.
Náš strýc minulé úterý skončil na šestém místě.
Končí představení ve čtvrt na pět?
Adam má schůzku dvacátého čtvrtého února v půl jedenácté.
Tramvaj směr Malmö má osm minut zpoždění.
Film se koná sedmnáctého července v místnosti dvanáct.
Sejdeme se pátého srpna v půl desáté ve škole.
Osm krát devět je sedmdesát dva.
V košíku leží 23 lžic.
Zkouška začíná v pondělí sedmého srpna ve 20:15.
Výlet začíná za devět hodin.
Čtyřicet šest plus tři je čtyřicet devět.
Škola má osmnáct žáků.
Knihovna byla postavena v roce 1784.
V únoru jede moje teta na jedenáct dní do města Ulm.
Potřebujeme dvě květiny.
Robert bydlí v Květinové ulici 78.
Zkouška trvá deset hodin.
Teplota ve městě Turku je dvanáct stupňů.
Viktor čte čtyřicátou kapitolu.
Noční vlak směr Oslo má tři minuty zpoždění.
Teplota ve městě Bonn je minus deset stupňů.
Končí kurz v 19:10?
Oslava je v sobotu v deset hodin.
Silnice směr Calais je dlouhá pět kilometrů.
V kině je patnáct turistů.
Končí kurz v 15:40?
Náš otec vaří každý pátek v 6:00.
Potřebujeme jedenáct časopisů.
Emma minulé úterý skončila na pátém místě.
Oslava začíná za 11 dní.
Zkouška je dvanáctého května ve dvě hodiny.
V zásuvce leží pět knih.
Adam včera koupil 11 lamp a osm časopisů.
Viktor má telefonní číslo 427 877.
Našemu bratrovi je třicet let.
Kolik stojí třicet osm lamp?
Náš strýc plave každý čtvrtek v 15:55.
Daniel má jedenáct koček a sedm citronů.
Silnice směr Bordeaux je dlouhá devadesát sedm kilometrů.
Dám si šest čajů a čtyři piva.
Výlet se koná v neděli ráno v místnosti 95.
Výlet trvá sedm týdnů.
Eva minulou sobotu koupila 27 šálků a třicet sedm lahví.
Kolik stojí tři šálky?
Naše sestra čte třicátou pátou kapitolu.
Představení začíná za deset dní.
Počasí ve městě Bristol bude dvacátého šestého května chladné.
Šedá košile stojí 28,50 eura.
Sejdeme se dvanáctého srpna ve tři čtvrtě na dvě na trhu.
Julia se narodila dvacátého třetího ledna 1975.
Představení začíná ve čtvrtek dvacátého pátého prosince v půl desáté.
Naše babička pracuje v pátém patře.
Přednáška trvá dvacet dní.
Židle stojí čtyřicet devět dolarů.
Kolik stojí třicet pět tužek?
Banka byla postavena v roce tisíc devět set devadesát.
Můj strýc zůstane 17 dní ve městě Dortmund.
Moje babička loni vyhrála zápas šest dva.
Náš otec má 11 krav a 16 časopisů.
Moje babička minulý měsíc koupila dvacet osm brambor a dvacet šest šálků.
Končí oslava v 16:10?
Naší dceři jsou tři roky.
Počasí ve městě Rostock bude v úterý mlhavé.
Počasí ve městě Dortmund bude v sobotu deštivé.
Noční vlak směr Ulm odjíždí ve dvě hodiny deset minut z nástupiště sedmnáct.
Můj strýc bydlí v Tržní ulici 6.
Seznam je na straně jedna.
Vlak směr Dublin odjíždí v deset hodin z nástupiště jedenáct.
Můj dědeček minulý týden koupil dva klobouky a tři láhve.
Strom je vysoký šest metrů.
Muzeum bylo postaveno v roce 1649.
Našemu strýci je 89 let.
Let dvě stě šedesát jedna směr Ulm přistává v sedm hodin.
Knihovna byla postavena v roce tisíc devět set devadesát pět.
Třicet čtyři šálků a čtrnáct jablek stojí dohromady 28,35 koruny.
Thomas minulou středu vyhrál zápas osm čtyři.
Eva má devět koček a pět klíčů.
Pět jízdenek do města Dortmund stojí 9,35 franku.
Potřebujeme sto padesát gramů cukru a 11 litrů oleje.
Náš syn minulý týden skončil na druhém místě.
Končí přednáška v šest hodin?
Let 492 směr Bristol přistává ve 14:40.
Tramvaj směr Dublin má čtyřicet čtyři minut zpoždění.
Košile stojí dnes o třicet pět procent méně.
Deset míčů a čtyři láhve stojí dohromady šest eur.
Zápas začíná v úterý 16. ledna v 17:00.
Nora pracuje v šestém patře.
Zahrada je dlouhá čtrnáct metrů.
Silnice směr Bergen je dlouhá deset kilometrů.
Ulice má dva tisíce dvě stě domů.
Sedm krát pět je třicet pět.
Končí zkouška ve čtvrt na sedm?
Daniel má schůzku v úterý v 17:30.
Robert pracuje každé pondělí ve 20:55.
Let 753 směr Bergen přistává v jednu hodinu.
Moje sestra čte patnáctou kapitolu.
Kód ke sklepu je nula osm nula.
Robert má schůzku 2. září v devět hodin.
Brambora stojí čtyři sta padesát franků.
Deset vajec a dvacet tři citronů stojí dohromady jedenáct korun.
Sara má pět ovcí a jedenáct šálků.
Sejdeme se šestého dubna v sedm hodin padesát pět minut na zámku.
Večeřím v 9:20.
Kavárna byla postavena v roce 1986.
Norbert slaví narozeniny dvacátého devátého srpna.
Představení trvá deset týdnů.
Potřebujeme deset květin.
Naše dcera má telefonní číslo 668 911.
Eva čte třicátou devátou kapitolu.
Autobus směr Turku neodjíždí ve čtvrt na devět, ale ve 20:55.
Můj dědeček slaví ve čtvrtek osmnácté narozeniny.
Robert má telefonní číslo 207 849.
Let 774 směr Cardiff přistává ve 23:20.
Sejdeme se třetího ledna ve 21:45 na trhu.
Nora vaří každé úterý ve tři čtvrtě na deset.
Thomas kupuje jedenáct jablek za 37,85 dolaru.
Koncert začíná za dvacet dní.
Oliver bydlí v Mlýnské ulici 102.
Simon začíná pracovat v devět hodin.
Osm tužek a třicet čtyři vajec stojí dohromady dvacet osm eur.
Končí svatba v osm hodin?
Naše matka bydlí v Nádražní ulici 95.
Oslava začíná v neděli třetího listopadu ve čtvrt na pět.
Končí zkouška ve tři čtvrtě na sedm?
Potřebujeme třicet šest klobouků.
V únoru jede Max na šest dní do města Ulm.
Noční vlak směr Oxford odjíždí v 7:35 z nástupiště 1.
Zápas se koná 26. června v místnosti 33.
Zámek je otevřený od úterý do čtvrtka od 6:15 do 14:45.
Osmnáct plus třicet pět je padesát tři.
Tramvaj směr Oxford neodjíždí v devět hodin, ale v 18:15.
Kolik stojí šestnáct květin?
Kurz začíná za jedenáct dní.
Moje matka minulý měsíc skončila na osmnáctém místě.
Sejdeme se zítra ve tři hodiny padesát pět minut v bance.
Klobouky stojí v pondělí večer o deset procent méně.
Eva slaví narozeniny 12. září.
Tramvaj směr Bordeaux neodjíždí v osm hodin, ale ve tři čtvrtě na čtyři.
Sara bydlí v Zahradní ulici 97.
Padesát minus třicet osm je dvanáct.
Kurz začíná v úterý sedmnáctého března v devět hodin čtyřicet minut.
Laura hraje na klavír každou sobotu ve tři hodiny.
Počasí ve městě Bergen bude sedmého srpna deštivé.
Svatba je dnes v devět hodin dvacet pět minut.
Škola byla postavena v roce tisíc šest set osmdesát.
Šálky stojí 18. ledna o dvacet pět procent méně.
Thomas minulý týden skončil na jedenáctém místě.
Židle stojí v sobotu večer o pět procent méně.
Moje sestra hraje na klavír každou sobotu ve dvě hodiny.
Autobus směr Dublin odjíždí v 11:40 z nástupiště 2.
Šest jízdenek do města Kiel stojí šest dolarů.
Devět jízdenek do města Bristol stojí 38,60 franku.
Autobus směr Malmö neodjíždí ve čtyři hodiny, ale ve tři čtvrtě na deset.
Silnice směr Nantes je dlouhá čtyři sta padesát kilometrů.
V kavárně je devět mužů.
Potřebujeme 50 gramů cukru a deset litrů džusu.
Daniel slaví narozeniny osmého listopadu.
Eva slaví narozeniny 31. prosince.
Emma kupuje 24 klobouků za 9,40 franku.
Můj bratr se narodil sedmnáctého dubna tisíc devět set šedesát šest.
Vlak směr Dortmund odjíždí ve tři čtvrtě na jedenáct z nástupiště tři.
Můj bratr zůstane osm týdnů ve městě Kiel.
Martin čte desátou kapitolu.
26 citronů a jedna láhev stojí dohromady jedenáct korun.
V září jede náš dědeček na osm týdnů do města Porto.
Hotel je otevřený od čtvrtka do neděle od 11:30 do 22:00.
10 jablek a dvacet osm květin stojí dohromady šest korun.
Teplota ve městě Bergen je devět stupňů.
Hotel má 44 pokojů.
Náš otec kupuje jedenáct lamp za jedenáct eur.
Autobus směr Oxford má 44 minut zpoždění.
V hotelu je šest turistů.
Kód ke dveřím je tři dva nula.
Kód ke garáži je pět šest šest devět.
Norbert má telefonní číslo 620 812.
Zápas trvá jednu hodinu.
Sejdeme se dnes v jedenáct hodin čtyřicet minut v bance.
V dubnu jede náš otec na čtyři týdny do města York.
Naše babička kupuje jedenáct časopisů za 24,90 dolaru.
Viktor čte dvacátou první kapitolu.
Noční vlak směr Ulm odjíždí ve čtyři hodiny padesát pět minut z nástupiště jedenáct.
Silnice směr Bristol je dlouhá 93 kilometrů.
Končí představení ve čtvrt na osm?
Zápas trvá osm minut.
Kód ke kufru je dva tři osm.
Noční vlak směr Dortmund odjíždí ve čtvrt na dvě z nástupiště 11.
Thomas minulou středu skončil na sedmém místě.
Hotel je ve čtvrtek večer zavřený.
Vlak směr Oslo má deset minut zpoždění.
Dva krát dva je čtyři.
Clara vstává ve čtyři hodiny.
V srpnu jede Adam na deset týdnů do města Turku.
Představení trvá 33 minut.
Martin bydlí v Květinové ulici 30.
Mému otci je čtyřicet čtyři let.
Počasí ve městě Bordeaux bude ve čtvrtek ráno mlhavé.
Kavárna je v úterý zavřená.
Tramvaj směr Malmö má dvě minuty zpoždění.
Osm krát deset je osmdesát.
Kurz začíná za 19 dní.
Max čte čtrnáctou kapitolu.
Osmdesát jedna minus třicet devět je čtyřicet dva.
Laura má devět krav a dva míče.
Dům stojí 55 korun za týden.
Autobus směr Porto má padesát čtyři minut zpoždění.
Martin hraje na klavír každý čtvrtek ve čtyři hodiny.
Ida čte čtvrtou kapitolu.
Sejdeme se čtvrtého prosince v pět hodin čtyřicet minut v muzeu.
Představení je dnes v 6:15.
Kufry stojí ve čtvrtek večer o dvacet pět procent méně.
Potřebujeme 100 gramů masa a jedenáct litrů oleje.
Člun stojí dvacet čtyři korun za den.
Šedé kolo stojí dva tisíce šest set padesát franků.
Martin pracuje v patnáctém patře.
Hotel je otevřený od pondělí do středy od 8:30 do 17:30.
Potřebujeme dvacet tři klobouků.
Viktor čte třináctou kapitolu.
V květnu jede moje matka na devět měsíců do města Calais.
Silnice směr Leeds je dlouhá třicet pět kilometrů.
Počítač váží třicet čtyři kilogramů.
Moje teta minulou středu vyhrála zápas pět čtyři.
Škola má sedmdesát devět žáků.
Sara minulý měsíc skončila na šestém místě.
Clara slaví narozeniny dvacátého pátého ledna.
Moje sestra má telefonní číslo 338 499.
Potřebujeme 350 gramů másla a dvanáct litrů oleje.
Končí výlet ve tři čtvrtě na šest?
Koncert je v pondělí v půl sedmé.
Let šest set padesát tři směr Malmö přistává ve tři čtvrtě na dvě.
Naše dcera čte třicátou devátou kapitolu.
Můj strýc kupuje šest lahví za čtyři franky.
Clara loni skončila na dvacátém místě.
Vlak směr Turku odjíždí ve tři čtvrtě na jedenáct z nástupiště šestnáct.
Náš dědeček čte třicátou třetí kapitolu.
Počasí ve městě Cardiff bude v sobotu ráno příjemné.
Naše dcera bydlí v Zámecké ulici 69.
Restaurace je otevřená od čtvrtka do soboty od 10:30 do 16:00.
Let šest set sedm směr Ulm přistává ve dvě hodiny.
Zápas trvá dvanáct hodin.
Kurz se koná ve čtvrtek v místnosti 2.
Mému dědečkovi je 40 let.
Jedna jízdenka do města Rostock stojí tisíc čtyři sta korun.
Vlak směr Cardiff odjíždí v devět hodin z nástupiště osm.
Sejdeme se ve čtvrtek v devět hodin v bance.
V březnu jede Nora na 11 dní do města York.
Byt stojí dvacet dolarů za den.
Vlak směr Porto má čtyři minuty zpoždění.
Obraz váží 10 kilogramů.
Končí přednáška ve tři čtvrtě na deset?
Ida má schůzku v pátek ve tři hodiny.
Tramvaj směr Leeds odjíždí ve čtvrt na osm z nástupiště sedmnáct.
Kino otevírá každou sobotu v 5:00.
Pět košil a šest lžic stojí dohromady 11 korun.
V říjnu jede Viktor na deset týdnů do města Leeds.
Thomas čte dvacátou čtvrtou kapitolu.
Řeka je široká 17 metrů.
Divadlo je ve čtvrtek zavřené.
Moje babička včera koupila pět klíčů a dvacet šest květin.
Potřebujeme dvě stě gramů sýra a tři litry džusu.
Třicet pět klíčů a 34 lahví stojí dohromady 21,50 eura.
Potřebujeme pět set gramů mouky a dva litry vína.
Vesnice má dvacet čtyři obyvatel.
12 košil a devět míčů stojí dohromady osm dolarů.
Kino je v úterý odpoledne zavřené.
Adam má schůzku třicátého prvního července ve čtvrt na tři.
Kód k sejfu je tři pět tři.
Svatba se koná v úterý večer v místnosti osm.
Oliver kupuje čtyři jablka za dvanáct dolarů.
Noční vlak směr Ulm má devět minut zpoždění.
Norbert kupuje pět jablek za dva tisíce devět set padesát korun.
Našemu strýci je osmdesát čtyři let.
Julia bydlí v Kostelní ulici 110.
V bance je 46 hostů.
Emma minulou neděli koupila třicet osm časopisů a jednu tužku.
Moje matka slaví v neděli třetí narozeniny.
Báseň je na straně dvanáct.
V restauraci je dvacet pět turistů.
Černý kabát váží dvacet sedm kilogramů.
Našemu dědečkovi je padesát pět let.
Potřebujeme tři sta padesát gramů masa a devět litrů vody.
Našemu synovi je jedenáct let.
Kolik stojí devatenáct míčů?
Končí koncert v sedm hodin třicet pět minut?
Laura se narodila třetího května tisíc devět set devadesát tři.
Zahrada má dvacet čtyři stromů.
Noční vlak směr Dublin má sedmnáct minut zpoždění.
Muzeum otevírá každé pondělí v půl deváté.
Silnice směr Oslo je dlouhá sedm kilometrů.
Čtyři jízdenky do města Oslo stojí tři franky.
David pracuje každou sobotu v půl dvanácté.
Simon bydlí v Květinové ulici 72.
Porada začíná za patnáct dní.
Čtyřicet šálků a 15 jablek stojí dohromady deset korun.
Můj bratr slaví narozeniny 14. června.
Moje matka čte třicátou sedmou kapitolu.
Odpověď je na straně dvacet čtyři.
Čtrnáct plus osm je dvacet dva.
Noční vlak směr Lyon má pět minut zpoždění.
Naše teta bydlí v Mostní ulici 2.
Divadlo je v neděli ráno zavřené.
Potřebujeme 100 gramů másla a pět litrů vody.
Zápas trvá jeden den.
Čtyřicet pět plus dvacet osm je sedmdesát tři.
Eva pracuje v prvním patře.
Končí koncert ve tři čtvrtě na dvě?
Sedmnáct minus pět je dvanáct.
Potřebujeme sedm set padesát gramů masa a jeden litr džusu.
Vlak směr Oslo neodjíždí ve tři hodiny, ale ve čtvrt na sedm.
Nora kupuje devět klíčů za 2200 eur.
Můj syn minulé úterý skončil na čtrnáctém místě.
Nádraží bylo postaveno v roce 1952.
Adam má schůzku 18. září ve tři čtvrtě na pět.
Oliver minulou středu skončil na sedmém místě.
Osm krát tři je dvacet čtyři.
Náš bratr má telefonní číslo 772 639.
Trh otevírá každou neděli v půl čtvrté.
Martin minulou neděli koupil 12 klobouků a 36 časopisů.
Silnice směr Bordeaux je dlouhá sto devadesát sedm kilometrů.
Výlet začíná v úterý 12. srpna v 17:25.
V divadle je padesát devět dětí.
Muzeum otevírá každé úterý v půl sedmé.
Julia slaví v neděli čtyřicáté čtvrté narozeniny.
Sejdeme se dnes ve čtyři hodiny deset minut ve škole.
Naše sestra minulé úterý koupila dvacet čtyři klobouků a čtyři pohlednice.
Fotografie je na straně 38.
Naše matka slaví narozeniny dvacátého prvního ledna.
Svatba je v úterý v půl sedmé.
Potřebujeme jedenáct klíčů.
Koberec váží pět kilogramů.
Naše teta minulou sobotu skončila na prvním místě.
V košíku leží jedenáct klíčů.
V srpnu jede moje teta na 20 dní do města Bordeaux.
Člun stojí 54 dolarů za týden.
Padesát sedm minus dvacet šest je třicet jedna.
Potřebujeme 250 gramů cukru a 11 litrů džusu.
Emma bydlí v Školní ulici 34.
Tramvaj směr Rostock odjíždí v osm hodin z nástupiště tři.
Tramvaj směr Bonn odjíždí ve tři čtvrtě na dvě z nástupiště dvanáct.
Čtyři tužky a šest vajec stojí dohromady dvanáct eur.
V zásuvce leží dvacet šest klobouků.
Potřebujeme 37 časopisů.
Noční vlak směr Bordeaux neodjíždí v jedenáct hodin padesát pět minut, ale ve tři čtvrtě na sedm.
Začínáme pracovat ve čtvrt na sedm.
Počítač váží tři kilogramy.
Anna loni vyhrála zápas osm tři.
Let 815 směr Leeds přistává ve dvě hodiny deset minut.
Kód k sejfu je sedm tři pět.
Film trvá třináct dní.
Škola byla postavena v roce 1758.
Vstáváme ve tři čtvrtě na devět.
Kolik stojí jeden citron?
Deset jízdenek do města Split stojí jedno euro.
Svatba začíná ve čtvrtek sedmého března v pět hodin.
Autobus směr Kiel má 28 minut zpoždění.
Oliver čte dvacátou sedmou kapitolu.
Škola je otevřená od úterý do neděle od 9:45 do 16:00.
Kód k sejfu je tři sedm nula.
Film začíná ve středu čtrnáctého prosince v 6:20.
Naše dcera má telefonní číslo 277 854.
Sejdeme se 26. listopadu ve čtvrt na tři v knihovně.
Knihovna byla postavena v roce 1911.
Osm klíčů a devět nožů stojí dohromady šest dolarů.
Náš bratr slaví dvacátého druhého září čtyřicáté páté narozeniny.
Můj dědeček má schůzku 1. července ve tři čtvrtě na deset.
Naše matka pracuje v jedenáctém patře.
Kufry stojí třicátého května o šedesát procent méně.
Knihovna je 8. června zavřená.
Naše dcera minulé pondělí vyhrála zápas šest tři.
Nádraží je otevřené od pátku do soboty od 6:30 do 17:15.
Tramvaj směr Rostock neodjíždí v sedm hodin dvacet pět minut, ale ve 12:20.
Noční vlak směr York neodjíždí v půl dvanácté, ale v 18:30.
Garáž stojí 20,50 dolaru za den.
V březnu jede můj strýc na čtyři měsíce do města Bristol.
Silnice směr Kiel je dlouhá deset kilometrů.
Moje sestra obědvá v jednu hodinu padesát pět minut.
Teplota ve městě Cardiff je minus dvacet stupňů.
Ida bydlí v Zámecké ulici 83.
Koncert trvá dvacet osm minut.
Potřebujeme čtyři sta padesát gramů sýra a čtyři litry vína.
Dvě jízdenky do města Rostock stojí tisíc osm set padesát korun.
Leo se narodil dvacátého čtvrtého května 1973.
Daniel čte dvacátou pátou kapitolu.
Představení začíná za dvacet čtyři minut.
Teplota ve městě Oslo je dvacet devět stupňů.
Náš dědeček minulé pondělí koupil deset citronů a pět lahví.
Končí porada ve tři čtvrtě na šest?
Banka otevírá každý pátek ve tři čtvrtě na šest.
Naše babička slaví narozeniny desátého dubna.
Končí zkouška v jednu hodinu třicet pět minut?
Náš strýc má telefonní číslo 300 270.
Sejdeme se ve čtvrtek v půl desáté v knihovně.
Viktor má schůzku 4. prosince ve 14:10.
Zelený počítač váží čtyři kilogramy.
Let osm set padesát dva směr Dublin přistává ve čtvrt na čtyři.
Silnice směr Leeds je dlouhá šest kilometrů.
Zápas je dnes ve tři čtvrtě na šest.
Počasí ve městě Bristol bude v pátek odpoledne oblačné.
Kód k telefonu je čtyři čtyři šest.
David kupuje dvě pohlednice za deset franků.
Vlak směr Ulm má dvanáct minut zpoždění.
Potřebujeme 11 klobouků.
Končí svatba v 9:35?
Maria slaví jedenáctého srpna dvacáté druhé narozeniny.
Potřebujeme 600 gramů sýra a 10 litrů vína.
Maria má čtyři kočky a devatenáct lamp.
Tramvaj směr Bonn neodjíždí v půl dvanácté, ale v devět hodin čtyřicet minut.
Náš dědeček minulý měsíc skončil na osmém místě.
Oslava začíná za jednu hodinu.
Autobus směr Madrid má třináct minut zpoždění.
Let dvě stě osmdesát pět směr Oxford přistává ve tři čtvrtě na devět.
V prosinci jede David na 15 dní do města Rostock.
Škola otevírá každé pondělí v půl šesté.
Emma slaví osmnáctého května sedmdesáté deváté narozeniny.
Zahrada je dlouhá osmdesát čtyři metrů.
Adresa je na straně 15.
Norbert plave každou středu ve čtyři hodiny.
Dám si jednu kávu a čtyři polévky.
Přednáška je ve středu v osm hodin čtyřicet minut.
V květnu jede Laura na čtyři roky do města Dortmund.
V restauraci je 10 dětí.
Moje teta minulé úterý skončila na devatenáctém místě.
Naše babička kupuje dvě vejce za dva tisíce sto padesát korun.
Daniel bydlí v Nádražní ulici 75.
Adresa je na straně šedesát jedna.
Silnice směr Madrid je dlouhá dvanáct kilometrů.
Autobus směr Bonn odjíždí v deset hodin z nástupiště 5.
Porada se koná dnes v místnosti 18.
Dám si jeden salát a dvě polévky.
Oliver hraje fotbal každý pátek v deset hodin.
Strom je vysoký devatenáct metrů.
Let šest set dvacet čtyři směr Bergen přistává v 10:45.
Přednáška začíná za deset hodin.
Padesát dva plus patnáct je šedesát sedm.
Náš dědeček má schůzku v pondělí v 5:00.
Dám si tři kávy a dva čaje.
Kolik stojí třicet nožů?
Sejdeme se zítra v 16:30 v bance.
Muzeum je otevřené od čtvrtka do pátku od 8:45 do 22:00.
Let 384 směr Porto přistává ve tři hodiny.
Naše babička má schůzku osmnáctého ledna ve čtvrt na jedenáct.
Nádraží otevírá každý čtvrtek ve dvě hodiny.
Naše teta se narodila čtvrtého června 1983.
Moje babička se narodila třináctého února 1973.
Teplota ve městě Madrid je třicet tři stupňů.
Můj otec slaví dnes dvacáté osmé narozeniny.
Potřebujeme šestnáct košil.
Daniel hraje šachy každý čtvrtek v osm hodin čtyřicet minut.
Dám si pět piv a jeden dort.
Sejdeme se v pátek v pět hodin v kavárně.
Moje babička se narodila 28. dubna 1996.
Vlak směr Bordeaux má jedenáct minut zpoždění.
Moje matka minulou sobotu skončila na dvanáctém místě.
Simon má telefonní číslo 539 231.
Nina pracuje v šestém patře.
Potřebujeme jedenáct knih.
Mému otci je padesát let.
Míče stojí v sobotu o patnáct procent méně.
Škola je v sobotu zavřená.
V červenci jede Oliver na devět dní do města Leeds.
Teplota ve městě Bordeaux je minus osm stupňů.
Kolik stojí šest tužek?
Eva slaví narozeniny patnáctého prosince.
Náš bratr čte šestnáctou kapitolu.
Náš bratr vstává ve tři čtvrtě na tři.
Sejdeme se v neděli v půl čtvrté v restauraci.
Osm krát dva je šestnáct.
Nina slaví narozeniny devátého června.
Viktor minulý pátek vyhrál zápas pět čtyři.
Viktor zůstane pět dní ve městě Oslo.
Svatba trvá šest týdnů.
Kód k telefonu je sedm jedna šest čtyři.
Loď je dlouhá devadesát čtyři metrů.
Clara má telefonní číslo 292 375.
Teplota ve městě Split je osm stupňů.
Film trvá dvacet minut.
Deset tužek a sedmnáct lžic stojí dohromady patnáct dolarů.
Žlutý časopis stojí devět franků.
Emma se narodila dvacátého šestého června 1983.
Koberce stojí zítra o čtyřicet procent méně.
Snídám ve tři čtvrtě na tři.
Můj syn plave každé pondělí v devět hodin deset minut.
Divadlo otevírá každé pondělí v 17:15.
Anna minulý týden vyhrála zápas čtyři jedna.
Teplota ve městě Oslo je minus šest stupňů.
Autobus směr Bristol odjíždí v jednu hodinu z nástupiště dvanáct.
Dům stojí tisíc pět set padesát korun za den.
Svatba trvá devět týdnů.
Můj syn čte třicátou devátou kapitolu.
Padesát dva minus čtrnáct je třicet osm.
Devět jízdenek do města Rostock stojí čtyřicet pět franků.
Autobus směr Calais má devět minut zpoždění.
Byt stojí 1500 franků za týden.
Adam má schůzku dnes v půl páté.
Potřebujeme dva nože.
Můj syn vaří každou středu v půl dvanácté.
Naše dcera se narodila 11. dubna 1995.
Maria hraje fotbal každé úterý v pět hodin dvacet minut.
V červnu jede Simon na šest let do města York.
Moje babička bydlí v Mlýnské ulici 15.
V srpnu jede moje teta na devět let do města Ulm.
Simon se narodil 8. ledna tisíc devět set padesát pět.
V krabici leží deset vajec.
Divadlo je ve středu zavřené.
Silnice směr Dublin je dlouhá dva kilometry.
Zámek je v pátek odpoledne zavřený.
Laura hraje na klavír každou středu ve 20:40.
Můj dědeček vstává v 9:50.
Dám si pět polévek a pět káv.
Kód ke garáži je nula nula osm šest.
Vlak směr Oslo odjíždí v jednu hodinu padesát minut z nástupiště 7.
Noční vlak směr Turku odjíždí ve 20:50 z nástupiště šestnáct.
Emma minulé úterý vyhrála zápas osm pět.
Náš syn má osm krav a čtrnáct citronů.
Šest jízdenek do města Bristol stojí dvě eura.
Naše matka zůstane čtyři týdny ve městě Ulm.
Končí svatba v sedm hodin?
Julia minulý pátek vyhrála zápas sedm jedna.
Knihovna má padesát tři knih.
Padesát devět minus třicet dva je dvacet sedm.
Oslava trvá třicet čtyři minut.
Moje babička večeří ve tři čtvrtě na deset.
V březnu jede náš syn na jedenáct let do města Nantes.
Zelená brambora stojí tři eura.
V restauraci je 11 studentů.
Ve škole jsou tři studenti.
Můj strýc má jedenáct ptáků a 19 jablek.
Kód ke dveřím je devět čtyři jedna.
Náš syn má sedm koček a pět časopisů.
Večeříme ve dvě hodiny čtyřicet minut.
Devět knih a devatenáct vajec stojí dohromady dva franky.
Výlet se koná zítra v místnosti osmnáct.
Vlak směr Dublin neodjíždí v půl šesté, ale v devět hodin.
Tři krát tři je devět.
V červnu jede Ida na dva dny do města Kiel.
Kino je dvacátého třetího ledna zavřené.
Viktor kupuje jeden míč za 75 franků.
Banka je ve středu odpoledne zavřená.
Počasí ve městě Bergen bude 18. dubna chladné.
Počasí ve městě Oslo bude dnes chladné.
Eva kupuje jeden nůž za šedesát šest dolarů.
Norbert minulý týden skončil na osmnáctém místě.
Řeka je široká šest metrů.
Osm krát osm je šedesát čtyři.
Autobus směr Oxford má dvacet minut zpoždění.
Vlak směr Kiel odjíždí ve čtvrt na osm z nástupiště 15.
Naše dcera minulé úterý koupila devět košil a dva časopisy.
Přednáška je v úterý v půl druhé.
Oliver minulý čtvrtek koupil šest míčů a dvacet tři jablek.
David loni vyhrál zápas šest čtyři.
Sejdeme se v úterý ve čtvrt na pět v knihovně.
Film se koná ve čtvrtek v místnosti dvě stě.
Moje teta bydlí v Mlýnské ulici 31.
Potřebujeme čtyři knihy.
Noční vlak směr Porto má dvanáct minut zpoždění.
Sejdeme se 1. září ve tři čtvrtě na pět na nádraží.
Oliver má telefonní číslo 642 893.
Tramvaj směr Oslo odjíždí v půl šesté z nástupiště devatenáct.
Sara čte třicátou osmou kapitolu.
Naší sestře je dvanáct let.
Film je ve středu v šest hodin.
Moje dcera minulou sobotu skončila na dvanáctém místě.
Zkouška je ve středu ve tři čtvrtě na osm.
Dám si dvě kávy a čtyři dorty.
Potřebujeme čtyři lžíce.
Film je dvacátého druhého prosince v 8:10.
Mému strýci je čtyřicet šest let.
Náš strýc má schůzku 1. dubna ve čtvrt na dvě.
Zápas začíná v neděli dvacátého třetího ledna v půl osmé.
Lea zůstane devět týdnů ve městě Bordeaux.
Autobus směr Nantes má sedm minut zpoždění.
Náš strýc se narodil osmého června 1999.
Sejdeme se v úterý ve tři čtvrtě na tři v divadle.
Clara má telefonní číslo 557 396.
Počítač váží padesát devět kilogramů.
Ulice má čtyřicet domů.
Odpověď je na straně sto čtyřicet jedna.
Mému strýci je padesát osm let.
Náš bratr kupuje pět knih za deset franků.
Bílý kabát váží šest kilogramů.
Obrazy stojí v pátek o patnáct procent méně.
Sara slaví narozeniny osmého června.
Potřebujeme 80 gramů sýra a 10 litrů mléka.
Robert zůstane 11 měsíců ve městě Oslo.
V listopadu jede Maria na dva týdny do města Cardiff.
Laura bydlí v Kostelní ulici 10.
Autobus směr Rostock má devět minut zpoždění.
Dvacet čtyři časopisů a 37 míčů stojí dohromady deset korun.
Zahrada má padesát sedm stromů.
V kině jsou dva lékaři.
Oliver pracuje v osmém patře.
Porada se koná v pátek v místnosti dva.
Deset krát dva je dvacet.
Tužky stojí v pátek odpoledne o čtyřicet procent méně.
V červenci jede moje teta na čtyři roky do města Nantes.
Zápas začíná v pondělí dvacátého třetího listopadu ve tři čtvrtě na sedm.
Náš dědeček minulé pondělí skončil na prvním místě.
Naše matka minulé pondělí koupila čtyři jablka a jeden míč.
Auto stojí dva tisíce čtyři sta dolarů za týden.
Počasí ve městě Porto bude v úterý ráno suché.
Náš bratr hraje šachy každou neděli ve čtvrt na pět.
Moje dcera minulé pondělí koupila dva klobouky a 10 jablek.
Moje babička pracuje ve čtvrtém patře.
Tramvaj směr Turku má čtyřicet čtyři minut zpoždění.
Černá lampa stojí 36,65 eura.
Banka byla postavena v roce tisíc devět set dvacet sedm.
Lea slaví druhého května sedmdesáté sedmé narozeniny.
Teplota ve městě Porto je devatenáct stupňů.
Vlak směr Turku má deset minut zpoždění.
Potřebujeme sto gramů cukru a šest litrů mléka.
Ulice je široká osm metrů.
Naše sestra minulé pondělí vyhrála zápas čtyři tři.
Končí oslava v 6:50?
Simon minulou středu vyhrál zápas osm jedna.
Strom je vysoký dvacet sedm metrů.
Ida čte dvacátou sedmou kapitolu.
Můj strýc minulé úterý vyhrál zápas čtyři dva.
Potřebujeme osm brambor.
Oslava trvá 26 minut.
Naše babička slaví narozeniny 21. března.
Počítač váží jeden kilogram.
Stoly stojí v úterý večer o čtyřicet pět procent méně.
Sejdeme se 1. dubna ve tři čtvrtě na sedm v divadle.
Můj strýc bydlí v Zahradní ulici 76.
Silnice směr Madrid je dlouhá 34 kilometrů.
Oslava se koná v pátek odpoledne v místnosti čtyřicet sedm.
Potřebujeme sto gramů masa a 12 litrů mléka.
Hotel je ve středu zavřený.
V květnu jede moje sestra na deset dní do města Nantes.
Anna zůstane deset let ve městě Porto.
Potřebujeme 800 gramů sýra a sedm litrů oleje.
Teplota ve městě Turku je 13 stupňů.
Mé babičce je 83 let.
Let 885 směr Calais přistává v devět hodin.
Nina má telefonní číslo 521 212.
Kabát váží 57 kilogramů.
Tunel je dlouhý sedmdesát devět metrů.
Film trvá dva týdny.
Ulice je široká sedm metrů.
Radnice je prvního srpna zavřená.
Černý obraz váží jedenáct kilogramů.
Let 407 směr Oslo přistává v půl dvanácté.
Moje teta minulý týden koupila dvě vejce a tři brambory.
Hotel je dvacátého třetího října zavřený.
Garáž stojí sedmdesát pět franků za týden.
Daniel zůstane devět měsíců ve městě Bergen.
V zásuvce leží třicet tři knih.
Hotel má 2700 pokojů.
Porada je třináctého května v půl páté.
Svatba trvá sedm minut.
Robert slaví narozeniny jedenáctého června.
Snídám v půl druhé.
Naše babička se narodila 8. února tisíc devět set šedesát šest.
Sejdeme se v úterý v půl druhé na zámku.
Lea minulý týden skončila na desátém místě.
Můj bratr minulý čtvrtek vyhrál zápas sedm tři.
Adam minulé úterý vyhrál zápas šest čtyři.
Let dvě stě padesát tři směr Oslo přistává v půl osmé.
Řeka je široká 14 metrů.
Zápas je dnes ve čtvrt na pět.
Moje sestra loni skončila na dvanáctém místě.
Sara slaví devátého července dvacáté osmé narozeniny.
Film trvá dvacet sedm minut.
Končí zkouška ve čtvrt na dvě?
Končí zkouška v sedm hodin deset minut?
Dám si dvě pizzy a čtyři kávy.
Potřebujeme pět klobouků.
Náš bratr slaví v úterý šedesáté narozeniny.
Radnice byla postavena v roce 1831.
Martin má sedm ovcí a jednu láhev.
Zahrada má 19 stromů.
V červnu jede Simon na jedenáct dní do města Kiel.
Naše sestra pracuje ve třetím patře.
Náš dědeček má telefonní číslo 457 295.
Klíče stojí v neděli o padesát procent méně.
Moje matka slaví narozeniny 30. října.
Teplota ve městě Bergen je 13 stupňů.
Člun stojí dvacet tři dolarů za měsíc.
Leo minulou středu vyhrál zápas šest jedna.
Autobus směr Madrid má šest minut zpoždění.
Končí přednáška v 7:35?
Jedenáct klobouků a 13 lamp stojí dohromady 36,20 eura.
Strom je vysoký dvanáct metrů.
Náš otec má telefonní číslo 725 400.
Končí porada v půl čtvrté?
Potřebujeme 250 gramů masa a dva litry vína.
Recept je na straně 62.
Zápas začíná za šest týdnů.
Thomas minulou sobotu koupil devět pohlednic a šest citronů.
Eva slaví zítra sedmdesáté čtvrté narozeniny.
Končí film v šest hodin čtyřicet minut?
Zápas začíná za deset týdnů.
Potřebujeme dvě stě padesát gramů cukru a sedm litrů vína.
Klíče stojí v neděli odpoledne o šedesát pět procent méně.
Thomas pracuje v patnáctém patře.
Emma bydlí v Květinové ulici 59.
Mému strýci je čtyřicet sedm let.
Kolik stojí devět nožů?
Dám si tři piva a čtyři pizzy.
Náš bratr má deset koček a 35 pohlednic.
Dvacet čtyři šálků a 10 vajec stojí dohromady šestnáct eur.
Nina minulý měsíc skončila na dvacátém místě.
Vlak směr Dortmund odjíždí ve čtvrt na dvanáct z nástupiště 7.
Adam hraje fotbal každý čtvrtek v osm hodin.
Počasí ve městě Oxford bude ve středu oblačné.
Láhve stojí zítra o šedesát procent méně.
Eva minulý pátek skončila na pátém místě.
Zápas je ve čtvrtek v půl deváté.
Nina bydlí v Zahradní ulici 76.
Simon slaví narozeniny 28. srpna.
Radnice je v pátek ráno zavřená.
Daniel má sedm koček a jedno vejce.
Auto stojí čtyřicet osm dolarů za týden.
Laura se narodila dvacátého prosince 2011.
Laura slaví desátého ledna sedmdesáté sedmé narozeniny.
Leo má sedm psů a dvacet pět košil.
V květnu jede náš otec na sedm let do města Turku.
Muzeum je ve středu zavřené.
Sejdeme se v pátek v půl dvanácté v parku.
Max kupuje třicet čtyři klíčů za sedmdesát tři dolarů.
Dám si dva čaje a dvě pizzy.
Zkouška trvá dva týdny.
Na stole leží tři pohlednice.
Dám si jeden salát a šest dortů.
Vesnice má padesát šest obyvatel.
Koncert trvá čtyřicet tři minut.
Potřebujeme 19 jablek.
Potřebujeme čtrnáct košil.
Laura má schůzku dnes ve 22:00.
Film trvá pět hodin.
Teplota ve městě Lyon je třicet čtyři stupňů.
Julia se narodila 10. dubna 1960.
Kolik stojí sedm citronů?
Vesnice má devadesát obyvatel.
Končí přednáška v 19:55?
23 jízdenek do města Nantes stojí jedenáct eur.
Šedý koberec váží osm kilogramů.
Citrony stojí v pátek večer o čtyřicet pět procent méně.
Hotel je otevřený od úterý do středy od 11:45 do 17:15.
Trh je otevřený od středy do čtvrtka od 11:15 do 22:30.
Emma začíná pracovat v 10:40.
Zámek je otevřený od pondělí do neděle od 10:00 do 14:00.
Dám si dvě piva a jeden čaj.
Kavárna byla postavena v roce 1742.
Teplota ve městě Porto je osmnáct stupňů.
Nora bydlí v Nádražní ulici 60.
Trh je otevřený od středy do soboty od 11:30 do 18:45.
Silnice směr Bonn je dlouhá pět kilometrů.
Sejdeme se v neděli v 6:05 v kině.
Martin kupuje dva časopisy za dva tisíce osm set eur.
Čtyřicet osm minus jedna je čtyřicet sedm.
Košile stojí 23. července o padesát procent méně.
Eva zůstane tři týdny ve městě Oslo.
Robert loni skončil na šestnáctém místě.
Můj strýc má tři koně a 12 míčů.
Počasí ve městě Bristol bude v sobotu ráno mlhavé.
Moje teta slaví narozeniny prvního dubna.
Zámek je v pátek večer zavřený.
Můj bratr bydlí v Nádražní ulici 49.
Tramvaj směr York odjíždí v 9:45 z nástupiště čtrnáct.
Patnáct jízdenek do města Malmö stojí 13,60 dolaru.
Autobus směr Split má sedmnáct minut zpoždění.
Naše teta bydlí v Kostelní ulici 39.
Film začíná v sobotu 29. června ve tři čtvrtě na čtyři.
Ulice má tisíc tři sta domů.
V kuchyni leží 18 vajec.
Náš strýc minulou sobotu koupil osm míčů a čtrnáct lahví.
Park je otevřený od úterý do soboty od 9:45 do 20:45.
Třicet pět minus třicet čtyři je jedna.
V listopadu jede moje babička na šest měsíců do města Leeds.
Thomas minulý týden skončil na druhém místě.
Seznam je na straně sedmnáct.
Oliver zůstane šest měsíců ve městě Turku.
Moje dcera slaví narozeniny 10. dubna.
Teplota ve městě Dublin je deset stupňů.
Teplota ve městě Calais je čtyři stupně.
Na radnici je devět lékařů.
Max se narodil 7. září 1978.
Silnice směr Turku je dlouhá devadesát čtyři kilometrů.
Vlak směr Oxford neodjíždí ve dvě hodiny deset minut, ale ve 14:35.
Kód ke garáži je sedm dva čtyři devět.
Hotel má tisíc sto pokojů.
Zámek je ve středu odpoledne zavřený.
Šedesát tři minus třicet osm je dvacet pět.
Let 578 směr Dublin přistává ve tři čtvrtě na tři.
Divadlo má dvacet pět míst.
Padesát sedm minus devatenáct je třicet osm.
Park je ve čtvrtek ráno zavřený.
Svatba začíná ve středu třináctého ledna ve tři čtvrtě na čtyři.
Pod postelí leží čtyřicet knih.
Přicházím domů v osm hodin čtyřicet minut.
Auto stojí 29 korun za den.
Můj syn slaví narozeniny sedmého února.
Sara se narodila dvacátého července 1950.
Eva zůstane pět měsíců ve městě Bordeaux.
Teplota ve městě Split je pět stupňů.
Divadlo má 24 míst.
Hotel má 20 pokojů.
Eva včera skončila na osmnáctém místě.
Autobus směr Cardiff odjíždí ve čtyři hodiny z nástupiště 14.
Sara slaví zítra padesáté první narozeniny.
Černý stůl váží padesát osm kilogramů.
Osm citronů a třicet osm časopisů stojí dohromady 22,90 franku.
Ve škole je 49 lékařů.
David minulý týden koupil pět knih a osm brambor.
Koncert se koná ve středu v místnosti sedmnáct.
Julia má schůzku zítra v jednu hodinu.
Naše teta včera vyhrála zápas čtyři jedna.
Svatba je osmého dubna v půl páté.
Potřebujeme 600 gramů másla a 12 litrů džusu.
Potřebujeme 34 brambor.
Recept je na straně třináct.
Naší matce je čtyřicet osm let.
Zápas začíná za dvacet šest minut.
Na zámku jsou tři děti.
Martin minulou neděli vyhrál zápas osm jedna.
Stoly stojí ve čtvrtek odpoledne o padesát procent méně.
Maria má telefonní číslo 364 848.
Zkouška začíná za 16 minut.
Zámek otevírá každý pátek v jednu hodinu.
Autobus směr Leeds odjíždí v jedenáct hodin z nástupiště šest.
Na trhu jsou dvě ženy.
Počítač stojí padesát šest korun.
Teplota ve městě Dortmund je 16 stupňů.
Norbert má schůzku v pondělí v půl osmé.
Noční vlak směr Ulm odjíždí ve 22:20 z nástupiště 19.
Teplota ve městě Cardiff je minus dvacet pět stupňů.
Mé tetě je čtyřicet osm let.
Sejdeme se 29. prosince v šest hodin v restauraci.
V říjnu jede Laura na deset dní do města Bonn.
Moje dcera má telefonní číslo 590 190.
Let 368 směr Bonn přistává ve 12:10.
Mému dědečkovi je osmdesát tři let.
Noční vlak směr Ulm odjíždí v šest hodin z nástupiště 19.
David slaví dvacátého druhého února osmnácté narozeniny.
Loď je dlouhá 17 metrů.
Stůl váží jedenáct kilogramů.
Počasí ve městě Ulm bude ve středu ráno větrné.
Clara minulý pátek skončila na dvanáctém místě.
Naše matka zůstane jeden den ve městě Turku.
Květiny stojí v pátek ráno o čtyřicet procent méně.
Kód ke dveřím je jedna čtyři čtyři.
Simon čte sedmnáctou kapitolu.
Knihovna má dvacet šest knih.
Náš syn má schůzku prvního října ve tři čtvrtě na osm.
Teplota ve městě Calais je minus šest stupňů.
Mé babičce je 49 let.
Zkouška začíná v neděli 9. února ve tři čtvrtě na deset.
Naše sestra loni vyhrála zápas šest tři.
Kniha stojí 39,10 dolaru.
Ulice je široká 77 metrů.
Bílá tužka stojí 10 dolarů.
Autobus směr Oxford odjíždí v devět hodin z nástupiště 2.
Ida pracuje ve čtrnáctém patře.
Výlet začíná za čtyři dny.
Silnice směr Porto je dlouhá deset kilometrů.
Dám si dva dorty a tři čaje.
Mému strýci je 44 let.
Radnice je 23. února zavřená.
Trh je prvního září zavřený.
Maria hraje na klavír každý čtvrtek ve tři čtvrtě na dvě.
Přednáška začíná za padesát čtyři minut.
Počasí ve městě Ulm bude v pátek odpoledne bouřlivé.
Kód ke dveřím je nula čtyři nula.
Teplota ve městě Leeds je sedmnáct stupňů.
Věž je vysoká čtyři metry.
Nina slaví zítra sedmdesáté deváté narozeniny.
Let sedm set čtyři směr Lyon přistává v půl dvanácté.
Počasí ve městě Oxford bude v úterý ráno suché.
Noční vlak směr Nantes neodjíždí v 5:20, ale ve čtvrt na dvě.
Černé kolo stojí 30 korun.
V dubnu jede moje matka na dva dny do města Bristol.
David čte dvacátou osmou kapitolu.
Robert bydlí v Zámecké ulici 105.
Sara se narodila třináctého prosince dva tisíce osmnáct.
Noční vlak směr Dublin neodjíždí v 7:40, ale v devět hodin.
Zkouška je zítra v půl deváté.
Můj bratr minulý pátek skončil na pátém místě.
Koncert je dvacátého šestého září v osm hodin čtyřicet minut.
Ida má schůzku v neděli v 7:20.
Martin čte třicátou sedmou kapitolu.
Zahrada je dlouhá tři metry.
Počasí ve městě Turku bude ve čtvrtek chladné.
Laura čte šestnáctou kapitolu.
Potřebujeme třicet čtyři citronů.
Noční vlak směr Madrid odjíždí ve čtvrt na šest z nástupiště 13.
Auto stojí 24 franků za den.
Čtyři jízdenky do města Bristol stojí 8,45 franku.
Kniha stojí osm dolarů.
Náš strýc loni skončil na jedenáctém místě.
Svatba je prvního ledna ve čtyři hodiny.
Noční vlak směr Rostock odjíždí ve čtvrt na pět z nástupiště 16.
Nina zůstane devět dní ve městě Malmö.
Hotel má 28 pokojů.
Vesnice má devadesát sedm obyvatel.
Clara kupuje dvacet časopisů za jednu korunu.
Škola má osm set padesát žáků.
Norbert minulý měsíc vyhrál zápas osm pět.
Sedmdesát čtyři minus dvacet šest je čtyřicet osm.
Zkouška začíná v pátek sedmého srpna v půl páté.
Anna se narodila třicátého září 2018.
Moje matka vaří každé úterý ve tři čtvrtě na tři.
Ida včera vyhrála zápas osm pět.
Daniel slaví 25. srpna desáté narozeniny.
Dům stojí 20 dolarů za týden.
Můj syn slaví sedmnáctého února padesáté čtvrté narozeniny.
Dám si jeden čaj a šest dortů.
Zelená židle váží čtyři kilogramy.
Hotel má patnáct pokojů.
Eva kupuje osm košil za deset korun.
Lampy stojí v pondělí o dvacet procent méně.
Laura má telefonní číslo 275 196.
Clara slaví v sobotu šedesáté narozeniny.
Tramvaj směr Malmö neodjíždí ve 14:10, ale ve tři čtvrtě na šest.
Thomas pracuje v šestém patře.
Končí kurz v devět hodin?
Oliver minulou sobotu skončil na devatenáctém místě.
Vlak směr Bergen neodjíždí v půl páté, ale v osm hodin padesát pět minut.
Moje sestra minulou středu skončila na devátém místě.
Náš otec minulé pondělí koupil dvě tužky a sedm míčů.
Noční vlak směr Bordeaux má osm minut zpoždění.
Můj otec má telefonní číslo 769 925.
Kód ke dveřím je jedna osm devět.
Oslava začíná v úterý 3. prosince v pět hodin.
Silnice směr Malmö je dlouhá dva kilometry.
Tramvaj směr Bergen neodjíždí ve čtvrt na šest, ale v šest hodin třicet pět minut.
Náš bratr se učí anglicky každý pátek ve tři čtvrtě na čtyři.
Nina pracuje v jedenáctém patře.
Julia pracuje v desátém patře.
Láhev stojí 17,10 koruny.
Naše sestra minulý měsíc vyhrála zápas šest čtyři.
Oslava je zítra v jedenáct hodin čtyřicet minut.
Naše sestra má pět koní a pět pohlednic.
Pod postelí leží dva šálky.
Martin hraje tenis každou neděli ve tři čtvrtě na jedenáct.
Adam má telefonní číslo 732 931.
Lampa stojí 29,90 dolaru.
Martin minulý pátek skončil na šestém místě.
Julia má telefonní číslo 512 958.
Nora bydlí v Lesní ulici 87.
Most je dlouhý 78 metrů.
Robert zůstane čtyři týdny ve městě Bonn.
V lednu jede David na osm dní do města Bordeaux.
Představení trvá osm hodin.
V březnu jede Laura na jedenáct měsíců do města Madrid.
Simon minulý týden koupil 13 klobouků a pět nožů.
Tři jízdenky do města Kiel stojí 13 eur.
Adam minulou středu skončil na třetím místě.
Naše teta vaří každou středu ve čtvrt na jedenáct.
Porada začíná za deset týdnů.
Obrazy stojí šestého října o pět procent méně.
Ida minulé úterý skončila na osmém místě.
Mé dceři je čtrnáct let.
Eva pracuje v šestnáctém patře.
Koncert začíná za devět dní.
Let tři sta dvacet čtyři směr Split přistává v devět hodin.
Můj otec kupuje sedm šálků za jednu korunu.
Koncert se koná dnes v místnosti 27.
Vlak směr Malmö neodjíždí ve tři čtvrtě na čtyři, ale v sedm hodin.
Let tři sta sedmdesát tři směr Oslo přistává ve čtvrt na šest.
Noční vlak směr York má čtyři minuty zpoždění.
Dám si dva saláty a šest polévek.
Leo čte osmou kapitolu.
Kolik stojí čtyřicet knih?
David bydlí v Tržní ulici 83.
Film trvá sedm týdnů.
Žlutá židle stojí jedenáct franků.
Silnice směr Cardiff je dlouhá čtyři kilometry.
Restaurace je v pátek večer zavřená.
Tramvaj směr Porto neodjíždí ve tři čtvrtě na deset, ale ve tři hodiny.
Julia minulou středu koupila devět lahví a 19 knih.
Počasí ve městě Calais bude v sobotu ráno teplé.
Naše dcera včera vyhrála zápas pět tři.
Recept je na straně 92.
Můj bratr se narodil 22. září tisíc devět set sedmdesát čtyři.
Náš strýc má dvě krávy a dvacet šest šálků.
Silnice směr Turku je dlouhá tři kilometry.
Noční vlak směr Oslo neodjíždí ve 14:20, ale ve čtvrt na sedm.
Dám si tři pizzy a dva čaje.
Kód k telefonu je šest čtyři pět šest.
Porada se koná v úterý v místnosti šestnáct.
Můj syn má schůzku dvacátého pátého srpna v devět hodin dvacet pět minut.
Sedm krát čtyři je dvacet osm.
Náš bratr hraje tenis každou sobotu v devět hodin.
Silnice směr Lyon je dlouhá 250 kilometrů.
Kufry stojí 26. října o padesát procent méně.
Leo zůstane tři týdny ve městě Madrid.
Padesát čtyři minus třicet devět je patnáct.
Mému dědečkovi je osmdesát sedm let.
Dám si pět pizz a jedno pivo.
Eva kupuje dvacet tři jablek za 2,80 franku.
Deset krát osm je osmdesát.
Simon hraje tenis každý pátek ve tři čtvrtě na devět.
Svatba začíná za 17 dní.
Potřebujeme pět klíčů.
Most je dlouhý šest metrů.
Maria pracuje ve dvanáctém patře.
Laura bydlí v Zahradní ulici 7.
Kolik stojí dvacet devět klobouků?
Sedmdesát tři minus třicet sedm je třicet šest.
Dům stojí dvacet pět franků za den.
Trh je v neděli zavřený.
Lea loni vyhrála zápas pět čtyři.
Noční vlak směr Turku má dvacet devět minut zpoždění.
Tramvaj směr Dublin má 10 minut zpoždění.
Restaurace je v úterý večer zavřená.
Dám si tři polévky a dva saláty.
Daniel minulou sobotu koupil 33 knih a dvacet tři pohlednic.
Let osm set šest směr Split přistává ve čtvrt na deset.
Sejdeme se 18. října ve čtvrt na sedm na radnici.
Radnice byla postavena v roce tisíc devět set osmdesát šest.
Silnice směr Malmö je dlouhá sedm set padesát kilometrů.
Našemu otci je čtyřicet osm let.
Sejdeme se ve středu v jednu hodinu čtyřicet minut v kině.
V listopadu jede Anna na jeden týden do města Lyon.
Pět krát deset je padesát.
Laura kupuje jedenáct šálků za 15 eur.
Představení začíná v úterý devatenáctého června v devět hodin.
Adam minulou středu koupil osmnáct brambor a dvacet šest klíčů.
Potřebujeme 400 gramů mouky a šest litrů oleje.
Žlutý počítač váží sedm kilogramů.
Hotel otevírá každé úterý v půl dvanácté.
Viktor hraje tenis každou středu v sedm hodin.
Jedna jízdenka do města Turku stojí deset dolarů.
Pod postelí leží šestnáct vajec.
Končí kurz v deset hodin?
Autobus směr Bordeaux neodjíždí v 7:10, ale ve čtvrt na jedenáct.
David bydlí v Zámecké ulici 73.
Naše dcera minulé pondělí vyhrála zápas čtyři jedna.
Jedenáct jízdenek do města Split stojí 700 franků.
Červené jablko stojí tisíc korun.
Kino je v neděli večer zavřené.
Divadlo je otevřené od pondělí do pátku od 8:45 do 19:30.
Leo bydlí v Mlýnské ulici 58.
Knihovna má 17 knih.
Laura kupuje čtyři lampy za čtyřicet devět korun.
Moje matka minulý pátek vyhrála zápas pět čtyři.
Robert má 11 koček a sedm jablek.
V srpnu jede náš strýc na devět dní do města Madrid.
Adam pracuje každý čtvrtek ve tři čtvrtě na jedenáct.
Míče stojí v sobotu o dvacet procent méně.
Končí koncert ve 23:45?
Pod postelí leží šest knih.
Muzeum bylo postaveno v roce 1630.
Zápas začíná za osm hodin.
Dám si jednu kávu a jeden čaj.
Hotel otevírá každý pátek v půl druhé.
Sejdeme se 26. září ve 12:25 v hotelu.
Simon se učí anglicky každý pátek ve čtyři hodiny padesát pět minut.
Kód ke garáži je dva devět devět devět.
Černé kolo váží jeden kilogram.
Potřebujeme třicet pět nožů.
Lea hraje na klavír každou neděli v půl deváté.
Knihovna otevírá každou středu v osm hodin deset minut.
Kód k telefonu je osm tři sedm osm.
Nádraží je otevřené od pondělí do pátku od 11:30 do 18:30.
Šálky stojí v pátek večer o patnáct procent méně.
Sejdeme se 17. dubna v deset hodin v parku.
Film začíná ve čtvrtek devátého prosince v 18:20.
Dám si šest pizz a tři piva.
Silnice směr Oxford je dlouhá šest kilometrů.
Adam čte desátou kapitolu.
Červený kabát stojí pět korun.
Clara se narodila třicátého prosince 2004.
Restaurace je 17. října zavřená.
Adam minulý měsíc vyhrál zápas pět jedna.
Clara čte desátou kapitolu.
Restaurace otevírá každý pátek ve tři čtvrtě na dvě.
Tramvaj směr Oxford odjíždí ve čtyři hodiny z nástupiště 20.
Mému otci je čtyřicet šest let.
Laura včera skončila na desátém místě.
Potřebujeme šestnáct pohlednic.
Autobus směr Oxford odjíždí v půl dvanácté z nástupiště 5.
Čtrnáct květin a tři šálky stojí dohromady sto devadesát tři franků.
Noční vlak směr Split neodjíždí ve tři hodiny, ale ve 14:55.
Porada začíná ve středu dvacátého druhého června ve tři čtvrtě na sedm.
Nádraží je 27. února zavřené.
Loď je dlouhá padesát sedm metrů.
Naše babička má schůzku v úterý v půl páté.
Našemu bratrovi je patnáct let.
Kolik stojí 18 nožů?
Sejdeme se ve čtvrtek ve 22:20 v kavárně.
Oliver zůstane čtyři roky ve městě York.
Divadlo má 46 míst.
Nora pracuje v šestnáctém patře.
Kolik stojí tři košile?
Náš otec vstává v šest hodin čtyřicet minut.
Knihovna je otevřená od pátku do neděle od 8:15 do 18:30.
Černý počítač stojí 39,10 eura.
Tramvaj směr Bonn má dvanáct minut zpoždění.
Tramvaj směr Oxford má dvacet sedm minut zpoždění.
Thomas má schůzku zítra v šest hodin dvacet pět minut.
Let 740 směr Bergen přistává v 8:45.
Naše matka minulý měsíc skončila na dvacátém místě.
V červenci jede Eva na dva týdny do města Bordeaux.
V knihovně je čtyřicet osm studentů.
Jedna plus třicet devět je čtyřicet.
Adam minulé pondělí koupil jednu pohlednici a jednu knihu.
Potřebujeme sto gramů cukru a tři litry vína.
Nina se narodila prvního května tisíc devět set padesát čtyři.
Věž je vysoká šedesát tři metrů.
Garáž stojí sedmdesát dolarů za den.
Moje teta bydlí v Zámecké ulici 70.
Můj bratr slaví v pondělí třicáté sedmé narozeniny.
Noční vlak směr Turku má devět minut zpoždění.
Nádraží bylo postaveno v roce 1624.
Eva kupuje tři citrony za patnáct korun.
Clara má schůzku třináctého března v jedenáct hodin.
Noční vlak směr Split odjíždí v jedenáct hodin čtyřicet minut z nástupiště 12.
Nina večeří v půl druhé.
Přednáška začíná ve čtvrtek sedmnáctého února ve čtvrt na sedm.
Dvanáct jízdenek do města Rostock stojí dva tisíce dvě stě padesát korun.
Silnice směr Bergen je dlouhá sedmdesát šest kilometrů.
V parku je deset hostů.
Leo minulý měsíc vyhrál zápas šest pět.
Čtyřicet osm minus dvacet sedm je dvacet jedna.
Zahrada má dvacet tři stromů.
Náš otec má dvě ovce a dva klobouky.
Thomas večeří ve čtvrt na sedm.
Židle váží třicet kilogramů.
Potřebujeme šest set gramů masa a dvanáct litrů oleje.
Laura slaví narozeniny 1. března.
Potřebujeme pět set gramů mouky a dva litry vody.
Vlak směr Lyon má deset minut zpoždění.
Moje teta minulý týden skončila na sedmnáctém místě.
Stoly stojí 30. června o dvacet pět procent méně.
Restaurace je otevřená od pondělí do soboty od 11:30 do 23:00.
13 jízdenek do města Oxford stojí 12,45 eura.
Můj otec kupuje šest pohlednic za osm eur.
Tři krát šest je osmnáct.
V divadle je dvacet tři turistů.
Simon má telefonní číslo 505 977.
Kurz se koná ve čtvrtek odpoledne v místnosti sto dva.
Zkouška začíná v pondělí desátého října ve 21:55.
Mé matce je 75 let.
Radnice je v pondělí večer zavřená.
Náš bratr má telefonní číslo 547 149.
Počasí ve městě Porto bude 15. listopadu teplé.
Radnice je otevřená od pondělí do neděle od 9:45 do 18:15.
Jedna jízdenka do města Leeds stojí sedm korun.
Dám si čtyři čaje a tři saláty.
Zkouška se koná ve čtvrtek v místnosti sedmnáct.
Na stole leží sedmnáct citronů.
Na trhu je dvanáct turistů.
Počítač váží padesát čtyři kilogramů.
Našemu synovi je dvacet let.
Na radnici je 10 lékařů.
Mapa je na straně 18.
David má pět ovcí a čtyři klíče.
Vlak směr Lyon má třicet šest minut zpoždění.
Kavárna byla postavena v roce tisíc devět set osmdesát čtyři.
Byt stojí šedesát čtyři dolarů za měsíc.
19 klobouků a osm lžic stojí dohromady 250 eur.
Restaurace byla postavena v roce 1778.
Počasí ve městě Ulm bude třicátého prvního prosince větrné.
Leo minulé úterý vyhrál zápas pět čtyři.
Laura se narodila prvního června 2001.
Anna kupuje pět knih za tisíc pět set eur.
Vlak směr Turku odjíždí ve čtvrt na pět z nástupiště 20.
Vlak směr Split má dvacet tři minut zpoždění.
Julia slaví zítra devadesáté šesté narozeniny.
Zámek je třicátého září zavřený.
Kolik stojí 38 šálků?
V krabici leží pět časopisů.
Kavárna je v pondělí večer zavřená.
Můj bratr minulý pátek koupil tři brambory a třicet sedm šálků.
Devadesát čtyři minus třicet devět je padesát pět.
Naše matka má schůzku 21. července ve tři čtvrtě na sedm.
Dám si jednu kávu a šest čajů.
Můj syn slaví narozeniny 8. prosince.
Sejdeme se ve čtvrtek ve tři čtvrtě na osm v knihovně.
Trh je otevřený od pondělí do úterý od 7:15 do 18:00.
Teplota ve městě York je 12 stupňů.
Sara zůstane jeden rok ve městě Oslo.
Koncert začíná za sedm hodin.
Robert se narodil 3. srpna 2012.
Náš dědeček kupuje 33 míčů za dva dolary.
Jedna jízdenka do města Calais stojí osmdesát osm korun.
Simon zůstane čtyři týdny ve městě Oslo.
Maria slaví 16. dubna druhé narozeniny.
Potřebujeme sedm set padesát gramů masa a 11 litrů oleje.
Maria čte třicátou šestou kapitolu.
Let 940 směr Porto přistává ve dvě hodiny.
Oliver má jednu kočku a šestnáct květin.
Norbert kupuje 36 nožů za tisíc pět set korun.
Kolik stojí 11 knih?
Počítač váží dva kilogramy.
Moje teta minulý měsíc vyhrála zápas sedm pět.
Moje dcera minulé pondělí koupila 10 květin a čtyři šálky.
Náš syn se narodil 23. března tisíc devět set padesát šest.
Škola je dvacátého šestého dubna zavřená.
Silnice směr Oslo je dlouhá pět kilometrů.
Vesnice má padesát čtyři obyvatel.
Sejdeme se třináctého září v devět hodin na radnici.
Náš bratr kupuje devět šálků za 93 dolarů.
Devět jízdenek do města Dortmund stojí tři franky.
Byt stojí třicet šest dolarů za měsíc.
Fotografie je na straně dvacet sedm.
Kino je v neděli ráno zavřené.
Laura včera vyhrála zápas osm pět.
Koberec váží sedm kilogramů.
V lednu jede Laura na tři týdny do města Porto.
Silnice směr Split je dlouhá pět kilometrů.
Dám si tři piva a tři čaje.
Kód ke sklepu je devět osm osm.
Kurz začíná za třicet minut.
Potřebujeme šest set gramů sýra a pět litrů džusu.
Silnice směr Cardiff je dlouhá devět kilometrů.
Nádraží je otevřené od pátku do soboty od 10:15 do 14:45.
Sara má jedenáct ovcí a devět šálků.
Kurz je v pátek v devět hodin dvacet pět minut.
Nádraží otevírá každé pondělí ve 12:05.
Nora slaví ve středu šedesáté narozeniny.
Náš syn kupuje dva časopisy za 36,40 koruny.
Kurz začíná za jedenáct hodin.
Zkouška je zítra v sedm hodin.
Škola otevírá každý čtvrtek ve 12:15.
Daniel večeří v osm hodin.
Kolo váží tři kilogramy.
Pod postelí leží třicet pět košil.
Žlutý koberec váží čtyřicet osm kilogramů.
Deset klobouků a dva šálky stojí dohromady pět korun.
Film začíná v sobotu dvacátého sedmého března v šest hodin.
Porada se koná v pondělí odpoledne v místnosti 185.
Oliver má telefonní číslo 524 131.
V krabici leží 23 lamp.
Počasí ve městě Bergen bude šestnáctého května slunečné.
Na zámku je deset dětí.
Naše matka čte třináctou kapitolu.
V košíku leží třicet květin.
Moje dcera minulé úterý vyhrála zápas tři dva.
Třicet dva minus třicet jedna je jedna.
Čtyřicet minus třicet jedna je devět.
Kolik stojí jedna košile?
Sedmnáct jízdenek do města Turku stojí 16,30 koruny.
Kolik stojí sedm tužek?
Maria pracuje v desátém patře.
Knihovna má 1500 knih.
V krabici leží osm šálků.
V květnu jede Eva na devět let do města Turku.
Dám si tři pizzy a tři saláty.
Koncert začíná za pět dní.
Kavárna byla postavena v roce 1852.
Moje teta hraje na klavír každé úterý v 18:00.
Viktor bydlí v Zahradní ulici 38.
Park je v neděli odpoledne zavřený.
Představení začíná v úterý dvanáctého října v 11:25.
Přednáška je v úterý ve tři hodiny.
Autobus směr Bonn neodjíždí ve 12:50, ale v devět hodin padesát pět minut.
Naše babička slaví v neděli šedesáté deváté narozeniny.
Počasí ve městě Bordeaux bude v pátek větrné.
Láhev stojí pět eur.
Náš dědeček má jedenáct koček a dvě lampy.
Bílá židle stojí 1750 dolarů.
Potřebujeme padesát gramů másla a tři litry vody.
Max loni vyhrál zápas šest čtyři.
Moje matka obědvá ve 21:25.
Hotel otevírá každou středu v jednu hodinu.
Představení začíná v neděli třicátého ledna ve čtvrt na sedm.
Seznam je na straně sto čtyři.
Dám si jedno pivo a tři kávy.
Max minulý týden koupil pět pohlednic a patnáct tužek.
Výlet je 27. prosince ve čtvrt na pět.
Sara se narodila desátého října 1975.
Daniel minulé úterý vyhrál zápas pět jedna.
Adresa je na straně šestnáct.
Park otevírá každý čtvrtek v osm hodin dvacet minut.
Výlet se koná 31. prosince v místnosti pět.
Dvanáct košil a sedm květin stojí dohromady deset korun.
Julia slaví zítra sedmdesáté páté narozeniny.
Noční vlak směr York neodjíždí ve čtvrt na jedenáct, ale ve čtyři hodiny čtyřicet minut.
Divadlo je dvacátého devátého prosince zavřené.
Norbert slaví narozeniny 20. března.
Přicházíme domů v devět hodin.
Končí film v půl jedenácté?
Sara minulý čtvrtek koupila 23 šálků a 17 lahví.
Naše babička bydlí v Mlýnské ulici 67.
Ulice je široká 14 metrů.
V kuchyni leží deset míčů.
David pracuje v šestnáctém patře.
Zelený kufr váží 13 kilogramů.
Noční vlak směr Porto neodjíždí ve 22:30, ale v devět hodin dvacet pět minut.
Koberec váží devět kilogramů.
Zápas se koná v pátek odpoledne v místnosti patnáct.
Simon minulý měsíc koupil dvacet sedm lžic a 11 lahví.
David plave každé pondělí v 16:35.
Vlak směr Rostock neodjíždí v 16:40, ale ve 14:45.
Eva zůstane pět let ve městě Leeds.
Kavárna otevírá každou středu v 7:35.
Kolik stojí dvanáct lamp?
Strom je vysoký deset metrů.
Vlak směr York neodjíždí ve čtvrt na pět, ale ve tři čtvrtě na deset.
Kolik stojí dvacet čtyři časopisů?
Zahrada má tisíc devět set stromů.
Sejdeme se zítra ve tři hodiny v kavárně.
Zápas trvá tři hodiny.
Loď je dlouhá 90 metrů.
Emma plave každou neděli v pět hodin padesát pět minut.
Sejdeme se zítra ve dvě hodiny deset minut v kavárně.
Film trvá čtyřicet čtyři minut.
Naše dcera má jednu kočku a dvacet čtyři košil.
Restaurace je otevřená od úterý do čtvrtka od 9:00 do 16:00.
Knihovna má osm set padesát knih.
Potřebujeme dvě stě padesát gramů másla a 12 litrů oleje.
Lea kupuje sedm citronů za dva tisíce dvě stě korun.
Oslava začíná za sedm dní.
Můj strýc zůstane 18 dní ve městě Dublin.
Potřebujeme pět set gramů rýže a jeden litr džusu.
Maria hraje fotbal každé úterý ve čtvrt na sedm.
Park byl postaven v roce tisíc šest set devadesát sedm.
Báseň je na straně devatenáct.
Ulice má devadesát čtyři domů.
Clara kupuje dvanáct jablek za 2150 eur.
Park je v pátek večer zavřený.
Silnice směr Bonn je dlouhá dvanáct kilometrů.
Svatba začíná za osm minut.
Nora má schůzku dnes v 19:10.
Židle stojí sedm korun.
Hotel je ve středu odpoledne zavřený.
Adam se narodil 2. prosince 1981.
Leo má telefonní číslo 427 234.
Kód k sejfu je jedna jedna šest tři.
V lednu jede moje sestra na pět měsíců do města Leeds.
Emma má osm psů a šestnáct lžic.
Lea slaví narozeniny dvacátého června.
Teplota ve městě Oslo je 23 stupňů.
Kolo stojí dva tisíce čtyři sta eur za měsíc.
Klobouky stojí v úterý ráno o dvacet procent méně.
Pět klobouků a šest lahví stojí dohromady šest korun.
Devatenáct plus jedenáct je třicet.
Porada se koná v neděli večer v místnosti pět.
Kód k telefonu je jedna devět pět.
Tramvaj směr Bristol má třináct minut zpoždění.
Anna má osm ovcí a 28 klobouků.
Martin slaví devatenáctého března třicáté čtvrté narozeniny.
Padesát minus dvacet jedna je dvacet devět.
Přednáška začíná za devět týdnů.
Počasí ve městě Lyon bude v pondělí odpoledne oblačné.
Lea minulý pátek skončila na patnáctém místě.
Sejdeme se v úterý v jednu hodinu třicet pět minut v kavárně.
Čtyři klíče a 13 časopisů stojí dohromady dvacet pět franků.
Tramvaj směr Rostock má 40 minut zpoždění.
Kufry stojí dvanáctého září o sedmdesát procent méně.
Let sedm set šestnáct směr Calais přistává v 16:45.
Maria pracuje v šestnáctém patře.
Oliver slaví narozeniny 9. prosince.
Můj syn hraje šachy každé úterý v devět hodin třicet pět minut.
Naše dcera kupuje 27 lamp za 3,70 koruny.
Potřebujeme pět set gramů sýra a tři litry mléka.
Kolik stojí jedno jablko?
Kavárna je dnes zavřená.
Potřebujeme čtyři sta padesát gramů rýže a 10 litrů vody.
Teplota ve městě Split je deset stupňů.
Zkouška začíná v pondělí dvacátého prvního října v půl druhé.
Kavárna otevírá každý čtvrtek ve čtyři hodiny.
V únoru jede náš strýc na dva roky do města Nantes.
V košíku leží dvacet sedm šálků.
Moje teta má schůzku třicátého prvního prosince v půl třetí.
Začínáme pracovat v pět hodin třicet pět minut.
Nádraží je otevřené od čtvrtka do pátku od 11:15 do 17:15.
Dvě lžíce a tři lampy stojí dohromady šestnáct franků.
Moje babička má dvě kočky a dvacet čtyři brambor.
Představení trvá 59 minut.
Dvanáct jízdenek do města Rostock stojí 17 eur.
Zkouška se koná zítra v místnosti šest.
Šest jízdenek do města Calais stojí 35,50 eura.
Lea se narodila devátého července 2011.
Našemu dědečkovi je 49 let.
Dvacet tři jízdenek do města Lyon stojí jeden frank.
Mému bratrovi je dvacet sedm let.
Svatba je dnes v půl páté.
Potřebujeme sedm set padesát gramů cukru a šest litrů mléka.
Moje matka čte čtrnáctou kapitolu.
Norbert snídá v pět hodin padesát pět minut.
Kolik stojí dvě vejce?
Svatba začíná v sobotu dvacátého třetího září v sedm hodin.
Ida kupuje 29 košil za šest franků.
Kabáty stojí 26. listopadu o pět procent méně.
Laura má schůzku dnes ve dvě hodiny padesát minut.
Julia bydlí v Školní ulici 37.
Noční vlak směr Rostock má 34 minut zpoždění.
Tramvaj směr Madrid má 18 minut zpoždění.
Fotografie je na straně třicet tři.
Potřebujeme jednu košili.
Citron stojí 700 dolarů.
Auto stojí 26 franků za den.
Sejdeme se v pondělí v půl druhé v divadle.
Potřebujeme jedenáct pohlednic.
Dvanáct jízdenek do města Dortmund stojí dvanáct dolarů.
Řeka je široká osmdesát tři metrů.
Kavárna byla postavena v roce tisíc devět set devadesát dva.
Náš bratr se narodil 2. listopadu tisíc devět set devadesát čtyři.
Lea se narodila sedmého září 2013.
Let 951 směr Bristol přistává v 9:55.
Moje matka se narodila druhého července 1964.
Kód ke kufru je pět nula jedna nula.
Naše babička pracuje ve čtvrtém patře.
Našemu bratrovi je šest let.
Daniel kupuje 33 květin za dva tisíce devět set korun.
10 jízdenek do města Dublin stojí 40,10 dolaru.
V červnu jede Robert na osm měsíců do města Porto.
Kavárna byla postavena v roce tisíc osm set dvanáct.
Potřebujeme 24 šálků.
Let 528 směr York přistává v 10:40.
Jedenáct jízdenek do města Nantes stojí 29,75 koruny.
Autobus směr Oslo odjíždí ve tři hodiny třicet pět minut z nástupiště dvacet.
Autobus směr Bergen neodjíždí ve čtvrt na sedm, ale ve tři čtvrtě na dvě.
Teplota ve městě Cardiff je 15 stupňů.
Max loni koupil 20 lžic a devět šálků.
Představení začíná v pátek 18. prosince ve čtyři hodiny.
Nina minulé pondělí koupila deset knih a 23 nožů.
Šest košil a 24 klobouků stojí dohromady třicet osm dolarů.
Tramvaj směr Calais má 28 minut zpoždění.
Jedenáct citronů a osm vajec stojí dohromady 19,65 koruny.
Tramvaj směr York neodjíždí ve čtyři hodiny, ale v 8:20.
Norbert minulý měsíc skončil na dvacátém místě.
Představení začíná v neděli šestnáctého července v osm hodin.
Kino otevírá každé úterý ve čtyři hodiny dvacet pět minut.
Maria slaví narozeniny patnáctého července.
Dám si pět káv a dvě piva.
Kód ke dveřím je dva tři nula.
Náš otec minulý měsíc skončil na sedmnáctém místě.
V listopadu jede můj strýc na dvanáct let do města Bristol.
Daniel čte třicátou devátou kapitolu.
Představení začíná za sedm týdnů.
Potřebujeme čtyři sta padesát gramů rýže a tři litry džusu.
Silnice směr Rostock je dlouhá tři sta kilometrů.
Kolik stojí pět časopisů?
Silnice směr Oxford je dlouhá třicet devět kilometrů.
Muzeum bylo postaveno v roce tisíc šest set sedmdesát sedm.
Moje matka má dvě ovce a pět lamp.
Silnice směr Oslo je dlouhá 10 kilometrů.
Náš bratr bydlí v Mlýnské ulici 14.
Porada začíná v pátek dvacátého osmého února ve tři čtvrtě na jedenáct.
Sejdeme se sedmnáctého března ve tři čtvrtě na jedenáct na zámku.
Julia čte dvacátou pátou kapitolu.
Na radnici je čtyřicet pět lékařů.
Lea minulý měsíc vyhrála zápas osm pět.
V lednu jede Ida na 10 let do města Lyon.
15 jízdenek do města Calais stojí jedno euro.
Náš syn minulý týden skončil na šestém místě.
Clara čte třicátou druhou kapitolu.
Daniel bydlí v Mlýnské ulici 35.
V lednu jede Eva na tři měsíce do města Dortmund.
Šest krát pět je třicet.
Muzeum je otevřené od čtvrtka do pátku od 11:00 do 18:00.
Koncert se koná v pondělí večer v místnosti 2.
Restaurace je v úterý ráno zavřená.
Naše teta bydlí v Nádražní ulici 20.
Třicet devět brambor a dva citrony stojí dohromady čtyři franky.
Ulice je široká 59 metrů.
Dům stojí tisíc sedm set padesát korun za týden.
Můj otec zůstane 11 měsíců ve městě Cardiff.
Daniel zůstane 15 dní ve městě Bonn.
Auto stojí devadesát tři franků za týden.
Noční vlak směr Cardiff má deset minut zpoždění.
Strom je vysoký 58 metrů.
Silnice směr Oslo je dlouhá 550 kilometrů.
Let 613 směr York přistává v osm hodin.
V srpnu jede moje sestra na devět dní do města Lyon.
Viktor má jedenáct psů a devět košil.
Autobus směr Leeds má dvacet minut zpoždění.
Potřebujeme třicet vajec.
Zahrada má devatenáct stromů.
Autobus směr Rostock neodjíždí ve čtvrt na dvě, ale v 7:35.
Radnice byla postavena v roce 1958.
Moje teta bydlí v Lesní ulici 83.
Zápas je 17. dubna v deset hodin.
Dám si dva dorty a tři pizzy.
Bílý počítač váží devět kilogramů.
19 jízdenek do města Nantes stojí 38,90 dolaru.
Potřebujeme sedm set padesát gramů másla a sedm litrů vody.
Náš dědeček kupuje 12 jablek za šest dolarů.
Jedenáct minus dva je devět.
Vlak směr York odjíždí ve čtvrt na deset z nástupiště čtrnáct.
Končí představení ve tři hodiny?
V květnu jede moje babička na čtyři měsíce do města Leeds.
Auto stojí čtyřicet sedm eur za týden.
Noční vlak směr Lyon odjíždí ve tři čtvrtě na šest z nástupiště dvacet.
Svatba začíná za padesát tři minut.
Potřebujeme šest set gramů sýra a dva litry džusu.
Thomas kupuje 26 časopisů za 3,40 eura.
Let 575 směr York přistává ve 14:10.
Potřebujeme šest set gramů mouky a 10 litrů mléka.
Clara bydlí v Mlýnské ulici 105.
Maria minulý čtvrtek vyhrála zápas čtyři jedna.
Osmnáct jízdenek do města Leeds stojí 2700 eur.
Knihovna je otevřená od pondělí do čtvrtka od 11:00 do 16:15.
16 nožů a devatenáct vajec stojí dohromady šest eur.
Ida se narodila 9. září 1977.
Sejdeme se druhého srpna ve tři čtvrtě na tři na trhu.
Koncert trvá tři týdny.
Kód k sejfu je tři devět pět pět.
Pokoj stojí osmdesát eur za měsíc.
Noční vlak směr Rostock má třicet osm minut zpoždění.
Martin slaví narozeniny dvacátého devátého října.
V muzeu jsou čtyři turisté.
Norbert kupuje dvě lžíce za padesát devět dolarů.
Kolik stojí čtyřicet míčů?
Naší tetě je čtyřicet tři let.
Anna zůstane deset týdnů ve městě Bergen.
Sara se narodila 20. prosince tisíc devět set šedesát čtyři.
Můj dědeček minulý týden skončil na druhém místě.
Moje sestra má telefonní číslo 454 593.
Nora má telefonní číslo 724 427.
Pohlednice stojí 29,85 franku.
Let 236 směr Madrid přistává v pět hodin třicet pět minut.
V košíku leží čtrnáct květin.
Můj dědeček loni koupil tři květiny a třináct vajec.
Park je otevřený od středy do neděle od 6:30 do 21:15.
Naše babička kupuje osm tužek za 30,35 koruny.
Mé sestře je jeden rok.
Anna má schůzku čtrnáctého června v 10:30.
Noční vlak směr Calais neodjíždí ve čtvrt na osm, ale v 10:40.
Třicet šest minus dvacet čtyři je dvanáct.
Kód ke sklepu je šest čtyři osm osm.
Naše babička čte osmnáctou kapitolu.
Clara hraje tenis každé úterý v půl jedenácté.
Muzeum je otevřené od středy do neděle od 11:45 do 20:15.
Knihovna je otevřená od pondělí do úterý od 11:30 do 15:45.
Film začíná za 20 dní.
Počasí ve městě Turku bude v pondělí odpoledne příjemné.
Trh byl postaven v roce tisíc devět set sedmdesát dva.
Julia kupuje jeden nůž za 22,25 dolaru.
Teplota ve městě Calais je sedm stupňů.
Potřebujeme sto gramů masa a deset litrů vína.
Divadlo je 26. prosince zavřené.
Báseň je na straně dvě stě sedmdesát sedm.
Náš dědeček má schůzku ve čtvrtek ve 20:55.
13 citronů a tři jablka stojí dohromady 250 franků.
Simon slaví narozeniny sedmého května.
Divadlo otevírá každý čtvrtek v půl čtvrté.
V hotelu je pět hostů.
Moje sestra bydlí v Kostelní ulici 51.
Leo má telefonní číslo 408 987.
David se narodil 31. prosince 2004.
Můj dědeček pracuje každé úterý ve 21:20.
Anna má telefonní číslo 267 877.
Sedmnáct plus jedenáct je dvacet osm.
Zámek je otevřený od úterý do neděle od 8:30 do 15:15.
Tramvaj směr Bordeaux neodjíždí v jedenáct hodin, ale v sedm hodin dvacet pět minut.
Moje sestra má telefonní číslo 361 820.
Žlutý koberec váží osm kilogramů.
Na podlaze leží třicet květin.
Dám si čtyři piva a pět polévek.
Náš strýc včera koupil třicet pět pohlednic a jednu knihu.
Restaurace otevírá každý čtvrtek v jedenáct hodin padesát pět minut.
Laura slaví narozeniny jedenáctého ledna.
Garáž stojí padesát šest dolarů za týden.
Potřebujeme 19 košil.
Můj syn má schůzku 15. října v jedenáct hodin.
Počasí ve městě Leeds bude v pondělí večer deštivé.
Náš syn se narodil 9. ledna 1988.
Auto stojí tisíc devět set padesát franků za den.
Noční vlak směr Cardiff má padesát devět minut zpoždění.
Noční vlak směr Kiel neodjíždí ve tři čtvrtě na dvě, ale v deset hodin.
Tramvaj směr Leeds neodjíždí v jedenáct hodin, ale ve čtvrt na deset.
Knihovna otevírá každý čtvrtek ve čtvrt na sedm.
Byt stojí padesát dolarů za den.
Leo kupuje dvacet devět květin za 15,80 eura.
Výlet začíná v pátek dvacátého osmého května ve tři čtvrtě na sedm.
Recept je na straně 383.
Osmnáct plus jedenáct je dvacet devět.
Kód ke kufru je čtyři nula dva.
Dám si pět pizz a šest dortů.
Potřebujeme třicet šest pohlednic.
Počasí ve městě Madrid bude zítra mlhavé.
Sejdeme se v pondělí ve čtvrt na jedenáct v restauraci.
Deset lžic a čtyři nože stojí dohromady 40,15 dolaru.
V srpnu jede Nora na devět týdnů do města Oxford.
Mému bratrovi je osm let.
Dám si jednu pizzu a dva dorty.
Končí svatba v jedenáct hodin?
Vlak směr Bordeaux neodjíždí ve tři hodiny, ale v půl dvanácté.
Film trvá sedm minut.
Teplota ve městě Leeds je 13 stupňů.
Zápas začíná za jeden týden.
Přednáška začíná za osm týdnů.
Recept je na straně čtyři.
Našemu otci je padesát let.
Maria kupuje deset vajec za devět eur.
Přednáška se koná v neděli v místnosti 14.
Film začíná v sobotu 26. října v šest hodin třicet pět minut.
Kolik stojí dvacet klobouků?
Potřebujeme 38 nožů.
Let osm set čtyřicet devět směr Dublin přistává ve čtyři hodiny.
V muzeu je deset mužů.
Garáž stojí dvacet sedm eur za týden.
Můj bratr se narodil desátého května 2000.
Nora minulý týden skončila na třináctém místě.
Divadlo je otevřené od pátku do soboty od 8:30 do 21:30.
Sedm jízdenek do města Ulm stojí šedesát čtyři eur.
Nádraží bylo postaveno v roce 1694.
Náš strýc se narodil dvanáctého února 1967.
Banka je osmého října zavřená.
Laura se narodila šestnáctého dubna 1983.
Hotel je v úterý zavřený.
Počasí ve městě Kiel bude ve čtvrtek bouřlivé.
Noční vlak směr Kiel odjíždí ve 14:10 z nástupiště dvanáct.
Max pracuje každou sobotu ve čtvrt na tři.
Padesát devět plus třicet čtyři je devadesát tři.
Divadlo otevírá každou neděli v 17:05.
Martin hraje fotbal každou středu v 11:00.
Koncert je dvanáctého září v šest hodin.
Sejdeme se šestnáctého srpna v půl jedenácté na nádraží.
Silnice směr Kiel je dlouhá 54 kilometrů.
Dám si jedno pivo a šest pizz.
Oslava se koná v pondělí večer v místnosti sedm.
Sedm jízdenek do města Dortmund stojí dva tisíce šest set padesát franků.
Maria se narodila 13. ledna 1965.
Naše matka se narodila 10. února tisíc devět set padesát osm.
Restaurace otevírá každé pondělí v 7:55.
Mému bratrovi jsou čtyři roky.
Končí porada ve 14:30?
Nina pracuje ve čtrnáctém patře.
Dám si čtyři dorty a jeden čaj.
Sejdeme se v neděli ve 12:10 na zámku.
Viktor minulý čtvrtek koupil šest lžic a 23 nožů.
Kód k sejfu je tři šest čtyři.
V listopadu jede Martin na šest týdnů do města Nantes.
Potřebujeme sedm set padesát gramů mouky a šest litrů oleje.
Adam se narodil sedmého února 1974.
Černé kolo váží třicet pět kilogramů.
Dám si pět polévek a jeden čaj.
V listopadu jede Emma na deset týdnů do města Bristol.
Let dvě stě sedmdesát devět směr Malmö přistává ve tři čtvrtě na deset.
Řeka je široká 68 metrů.
Ida má telefonní číslo 601 783.
Silnice směr Madrid je dlouhá jedenáct kilometrů.
Osm jízdenek do města Leeds stojí dvě koruny.
Náš bratr bydlí v Mlýnské ulici 36.
Svatba je ve čtvrtek ve dvě hodiny.
Martin se narodil dvanáctého prosince 1999.
Tramvaj směr Dortmund odjíždí v půl dvanácté z nástupiště 13.
Let pět set devadesát sedm směr Kiel přistává v 17:35.
Knihovna je otevřená od úterý do neděle od 8:30 do 14:45.
Tramvaj směr Dublin neodjíždí v 19:45, ale ve dvě hodiny.
Nádraží bylo postaveno v roce tisíc devět set sedmdesát šest.
Let devět set sedmdesát tři směr Porto přistává ve tři čtvrtě na šest.
Padesát osm plus třicet pět je devadesát tři.
Film se koná v neděli v místnosti 327.
Knihovna je otevřená od úterý do čtvrtka od 6:15 do 14:45.
Oslava se koná třetího června v místnosti 63.
Kód ke dveřím je osm jedna šest.
Zeď je vysoká sedmdesát metrů.
Anna bydlí v Mostní ulici 86.
V knihovně je 40 studentů.
Věž je vysoká 38 metrů.
Sejdeme se dnes v 18:55 na trhu.
Sejdeme se zítra v šest hodin padesát minut v kavárně.
Nora kupuje 18 brambor za sedmdesát franků.
Naše babička minulé úterý koupila 39 jablek a pět květin.
Silnice směr Oxford je dlouhá 48 kilometrů.
Vlak směr Bergen má dvě minuty zpoždění.
Našemu strýci je čtyřicet pět let.
Nina slaví narozeniny třicátého srpna.
Náš dědeček čte třicátou devátou kapitolu.
Muzeum otevírá každý čtvrtek v šest hodin deset minut.
V muzeu je osm žen.
V divadle je 58 turistů.
Hotel je v pátek zavřený.
Náš bratr vaří každý čtvrtek v jednu hodinu třicet pět minut.
Maria minulý týden vyhrála zápas sedm pět.
Max má schůzku v pátek ve 12:10.
Ida loni koupila jedno jablko a 12 klíčů.
Zámek byl postaven v roce 1795.
Dvacet dva plus dvacet devět je padesát jedna.
Řeka je široká 28 metrů.
Simon čte třicátou třetí kapitolu.
Náš strýc se učí anglicky každou neděli v 15:25.
Loď je dlouhá čtyři metry.
Jedna jízdenka do města York stojí čtyři koruny.
Martin slaví narozeniny sedmnáctého listopadu.
Počítač váží třicet tři kilogramů.
Nora loni skončila na třináctém místě.
Teplota ve městě Oslo je minus pět stupňů.
Teplota ve městě Dublin je pět stupňů.
Tři jízdenky do města Bonn stojí tisíc pět set padesát korun.
Kurz je zítra v šest hodin čtyřicet minut.
Teplota ve městě Madrid je minus dvanáct stupňů.
Silnice směr Malmö je dlouhá 10 kilometrů.
Noční vlak směr Madrid odjíždí v půl páté z nástupiště 10.
Noční vlak směr Bristol neodjíždí ve tři hodiny, ale v 19:10.
Zeď je vysoká šest metrů.
Počasí ve městě Bordeaux bude v sobotu ráno chladné.
Kolo stojí 29 eur za den.
Divadlo je otevřené od úterý do čtvrtka od 7:15 do 14:15.
Film je zítra v osm hodin.
Thomas kupuje dvě tužky za tři franky.
Hotel má padesát pět pokojů.
Mému synovi je sedmnáct let.
V srpnu jede Adam na tři měsíce do města Cardiff.
Kolik stojí čtyři klíče?
Ulice má 15 domů.
Dám si pět káv a šest salátů.
Kurz se koná v pondělí v místnosti 3.
Nádraží je v sobotu večer zavřené.
Naší sestře je dvacet sedm let.
Žlutý časopis stojí 2,45 eura.
Škola byla postavena v roce tisíc osm set čtyřicet čtyři.
Šedesát devět minus třicet jedna je třicet osm.
Sejdeme se šestnáctého září ve čtvrt na čtyři ve škole.
Tramvaj směr Madrid má devět minut zpoždění.
Zkouška se koná v pátek v místnosti 4.
Banka byla postavena v roce tisíc sedm set dvacet tři.
Martin hraje na klavír každou sobotu ve tři hodiny.
V březnu jede Viktor na tři roky do města Split.
Martin vaří každý čtvrtek ve tři čtvrtě na osm.
Dám si čtyři pizzy a čtyři kávy.
V parku je jedenáct studentů.
Dám si pět piv a tři dorty.
Let 994 směr Malmö přistává ve tři čtvrtě na šest.
Radnice je v úterý ráno zavřená.
Výlet trvá šest týdnů.
Kolik stojí jedenáct klíčů?
Nádraží bylo postaveno v roce 1663.
Moje sestra má telefonní číslo 756 887.
Můj bratr slaví jedenáctého února padesáté sedmé narozeniny.
Max má telefonní číslo 526 913.
Oliver slaví druhého června osmdesáté první narozeniny.
Viktor slaví narozeniny 10. března.
Zkouška začíná ve čtvrtek osmého září v 7:15.
Restaurace je otevřená od úterý do pátku od 6:15 do 18:45.
Hotel byl postaven v roce 1973.
Julia se narodila 14. července tisíc devět set sedmdesát devět.
Maria má telefonní číslo 629 823.
Hotel má dva tisíce sedm set padesát pokojů.
Naše babička pracuje v šestém patře.
Martin hraje šachy každé úterý v deset hodin.
Výlet se koná v sobotu v místnosti devatenáct.
Můj dědeček kupuje šestnáct květin za sedmdesát sedm dolarů.
Kavárna je otevřená od úterý do neděle od 8:30 do 18:30.
Silnice směr Malmö je dlouhá dvanáct kilometrů.
Tramvaj směr Cardiff neodjíždí ve 20:00, ale v 9:30.
Autobus směr Oslo má osm minut zpoždění.
Nora má 10 ovcí a devět brambor.
Oliver bydlí v Nádražní ulici 1.
Moje matka slaví zítra dvacáté deváté narozeniny.
Porada je dnes v sedm hodin deset minut.
Devatenáct jízdenek do města Kiel stojí čtyři dolary.
Můj dědeček má pět psů a třicet čtyři lamp.
Potřebujeme 300 gramů sýra a jedenáct litrů džusu.
V košíku leží čtyři tužky.
Báseň je na straně 17.
Moje matka slaví narozeniny třináctého července.
Nina slaví dvacátého druhého listopadu padesáté šesté narozeniny.
Garáž stojí dvacet devět dolarů za den.
Koncert začíná ve čtvrtek dvacátého pátého dubna ve tři hodiny.
Dám si pět dortů a tři čaje.
Daniel hraje fotbal každou středu v šest hodin.
Šálky stojí 28. února o deset procent méně.
Jedna jízdenka do města Kiel stojí 28 dolarů.
Autobus směr Porto neodjíždí ve čtvrt na pět, ale v půl deváté.
Tramvaj směr Cardiff neodjíždí v sedm hodin, ale ve čtvrt na tři.
Laura slaví 20. února sedmdesáté deváté narozeniny.
Sara zůstane osm let ve městě Split.
Mapa je na straně dvacet.
Zápas trvá dvacet čtyři minut.
Norbert včera koupil dvacet sedm květin a deset lžic.
Citron stojí tři koruny.
Výlet začíná v pondělí čtrnáctého ledna v půl čtvrté.
Sejdeme se devatenáctého června ve 22:50 v knihovně.
Silnice směr Cardiff je dlouhá deset kilometrů.
Zápas je 7. ledna ve čtvrt na čtyři.
Brambora stojí devět eur.
Noční vlak směr Madrid neodjíždí v 5:45, ale ve čtvrt na šest.
Ulice je široká 12 metrů.
Na stole leží čtyři klobouky.
Silnice směr Cardiff je dlouhá sedm kilometrů.
Laura má schůzku 20. září v osm hodin.
Tramvaj směr Porto má 46 minut zpoždění.
Sara slaví narozeniny 22. prosince.
Oslava se koná v pátek v místnosti 388.
Dvacet pět jízdenek do města Split stojí 2450 korun.
Moje matka minulý měsíc vyhrála zápas čtyři dva.
V únoru jede můj dědeček na jeden měsíc do města Bergen.
Potřebujeme šest set gramů sýra a dva litry vody.
Silnice směr Dublin je dlouhá dvanáct kilometrů.
Garáž stojí dvacet šest eur za den.
Černý míč stojí sedm korun.
Oslava začíná ve čtvrtek sedmého února v půl páté.
Dám si čtyři dorty a tři čaje.
Potřebujeme pět citronů.
Autobus směr Malmö má čtyřicet pět minut zpoždění.
V dubnu jede můj syn na devět let do města Bordeaux.
Let pět set devadesát devět směr Bristol přistává v jedenáct hodin.
Sara zůstane sedm let ve městě Porto.
Náš otec slaví v pátek sedmnácté narozeniny.
Můj bratr má jednoho psa a čtyři šálky.
Osmdesát minus dvacet čtyři je padesát šest.
Norbert se narodil dvacátého devátého března tisíc devět set šedesát sedm.
Koncert se koná zítra v místnosti 3.
Končí svatba v 9:50?
Maria kupuje 29 klobouků za třicet čtyři dolarů.
V knihovně je devět lékařů.
Výlet se koná dnes v místnosti 11.
Sejdeme se v pátek v půl deváté ve škole.
Zápas se koná ve středu večer v místnosti osm.
Silnice směr Calais je dlouhá sedm kilometrů.
Silnice směr Rostock je dlouhá 53 kilometrů.
Dám si čtyři saláty a tři kávy.
Nora zůstane dvanáct let ve městě Oslo.
David kupuje deset lžic za dva tisíce pět set padesát korun.
Knihovna je osmnáctého prosince zavřená.
Nina bydlí v Květinové ulici 103.
Mé sestře je 11 let.
Martin má devět koní a dvacet osm vajec.
Oslava začíná za pět dní.
Vlak směr York odjíždí ve čtvrt na jedenáct z nástupiště dvanáct.
Dám si jednu polévku a čtyři dorty.
Potřebujeme 11 lahví.
Osm jízdenek do města Rostock stojí dva tisíce devět set dolarů.
Tramvaj směr Oslo odjíždí v osm hodin z nástupiště čtyři.
Potřebujeme čtyři sta padesát gramů másla a sedm litrů mléka.
Trh je otevřený od čtvrtka do neděle od 9:15 do 14:30.
Thomas se narodil pátého listopadu tisíc devět set osmdesát.
Let pět set šedesát dva směr Oslo přistává ve čtvrt na dvě.
V zásuvce leží šest tužek.
Můj strýc slaví v pátek šedesáté osmé narozeniny.
Kabát váží osm kilogramů.
Restaurace byla postavena v roce tisíc devět set třicet šest.
Sara má schůzku prvního dubna v pět hodin padesát pět minut.
Můj strýc včera skončil na devatenáctém místě.
V knihovně jsou tři lékaři.
Potřebujeme čtrnáct klíčů.
Vesnice má 17 obyvatel.
Čtyřicet sedm minus čtyři je čtyřicet tři.
Odpověď je na straně tři sta třicet dva.
Končí film ve tři čtvrtě na šest?
Sedm lahví a pět jablek stojí dohromady osmdesát pět franků.
Dám si pět pizz a pět salátů.
Garáž stojí 78 eur za měsíc.
Julia pracuje v šestém patře.
Počítač váží šest kilogramů.
Thomas včera skončil na čtrnáctém místě.
Můj bratr slaví narozeniny třicátého června.
Radnice je otevřená od pondělí do čtvrtka od 9:30 do 23:00.
Let 891 směr Dublin přistává ve 21:35.
Moje babička bydlí v Zámecké ulici 48.
Koncert trvá jeden den.
Naše babička kupuje 30 lamp za čtyřicet eur.
Oliver slaví zítra devadesáté páté narozeniny.
Oliver bydlí v Lesní ulici 92.
Ida zůstane dva dny ve městě Malmö.
Vlak směr Calais odjíždí ve 23:50 z nástupiště 3.
Moje teta se narodila 3. července 1962.
Můj otec čte osmnáctou kapitolu.
David pracuje v jedenáctém patře.
Končí koncert ve čtvrt na jedenáct?
Vstávám v 9:55.
Šest jízdenek do města Bristol stojí 1850 franků.
Porada začíná za jeden týden.
Teplota ve městě Madrid je devět stupňů.
Let šest set šedesát pět směr Cardiff přistává ve tři čtvrtě na devět.
Kino otevírá každý pátek v 5:50.
Divadlo má padesát míst.
V košíku leží třicet sedm klobouků.
Nora minulou středu skončila na jedenáctém místě.
V hotelu je dvacet čtyři studentů.
Adresa je na straně devadesát sedm.
Květiny stojí 30. června o šedesát pět procent méně.
Kód ke sklepu je pět osm devět devět.
Můj otec slaví narozeniny sedmého července.
Náš strýc má dvanáct psů a 40 tužek.
Potřebujeme 80 gramů rýže a jeden litr mléka.
Naší babičce je padesát sedm let.
Silnice směr Nantes je dlouhá osm kilometrů.
Silnice směr Oxford je dlouhá tři kilometry.
Kavárna byla postavena v roce 1781.
Dvě jízdenky do města Madrid stojí čtyři franky.
Let šest set osmdesát pět směr Bordeaux přistává ve dvě hodiny.
Náš bratr čte čtyřicátou kapitolu.
David včera koupil dvacet tři jablek a pět šálků.
Potřebujeme devět jablek.
Film začíná za sedm dní.
Teplota ve městě Ulm je 10 stupňů.
Kolo váží šest kilogramů.
Eva pracuje ve třetím patře.
Moje sestra má schůzku zítra v jednu hodinu.
Výlet je ve čtvrtek ve čtvrt na dvě.
Leo čte devátou kapitolu.
Mému bratrovi jsou dva roky.
Ida bydlí v Školní ulici 55.
Vlak směr Malmö neodjíždí v 9:30, ale v osm hodin.
Počasí ve městě Madrid bude v neděli večer chladné.
Kolik stojí šest míčů?
Oliver čte dvacátou druhou kapitolu.
Kurz je v pondělí v sedm hodin.
Noční vlak směr Kiel má pět minut zpoždění.
Simon má devět koček a šest míčů.
Koberce stojí ve středu odpoledne o třicet procent méně.
Deset brambor a dvacet šest šálků stojí dohromady sedmdesát šest dolarů.
Kód k sejfu je pět devět nula.
Radnice byla postavena v roce tisíc sedm set šestnáct.
Zahrada je dlouhá pět metrů.
Oslava je v pondělí v osm hodin třicet pět minut.
Martin minulý týden skončil na čtrnáctém místě.
Můj dědeček loni vyhrál zápas pět tři.
Náš dědeček má schůzku v neděli v jedenáct hodin čtyřicet minut.
V lednu jede Simon na devět týdnů do města Malmö.
Autobus směr Nantes neodjíždí ve čtvrt na osm, ale v 19:35.
Laura slaví narozeniny dvacátého sedmého června.
V květnu jede naše teta na devět dní do města Leeds.
Sejdeme se zítra ve čtvrt na tři v parku.
Náš bratr zůstane 11 dní ve městě Ulm.
Robert čte třicátou druhou kapitolu.
Nina pracuje v šestnáctém patře.
17 jízdenek do města Porto stojí dva tisíce tři sta padesát dolarů.
Náš dědeček zůstane deset týdnů ve městě Kiel.
Sejdeme se dnes ve tři čtvrtě na šest v parku.
Padesát devět plus devět je šedesát osm.
Kino je dvanáctého května zavřené.
Silnice směr Rostock je dlouhá dva kilometry.
Kino je otevřené od čtvrtka do soboty od 11:15 do 20:45.
Časopisy stojí v sobotu večer o čtyřicet procent méně.
Trh otevírá každou středu ve čtvrt na deset.
Kód k telefonu je devět pět čtyři.
Dám si jeden dort a tři piva.
Lea čte dvacátou sedmou kapitolu.
Nora má čtyři koně a dvacet čtyři jablek.
Moje teta slaví narozeniny 9. srpna.
Let 866 směr Lyon přistává v jednu hodinu.
Nora bydlí v Nádražní ulici 86.
V zásuvce leží tři vejce.
Film se koná v pondělí ráno v místnosti dvacet devět.
Náš otec má schůzku v pondělí v půl šesté.
Zápas je dvacátého třetího května ve 22:00.
Autobus směr York neodjíždí ve tři čtvrtě na pět, ale v půl dvanácté.
Noční vlak směr Bordeaux má dvě minuty zpoždění.
Noční vlak směr Cardiff neodjíždí ve čtvrt na deset, ale v 19:55.
Pět květin a čtyřicet pohlednic stojí dohromady 78 dolarů.
Julia se narodila sedmnáctého ledna 1993.
Martin pracuje v desátém patře.
Porada je v pátek ve tři čtvrtě na pět.
V kině je pět hostů.
Kurz začíná za osmnáct dní.
Končí oslava v jedenáct hodin?
V košíku leží devět jablek.
Kolik stojí tři jablka?
Teplota ve městě Turku je 33 stupňů.
Naše teta čte třicátou první kapitolu.
Clara čte dvacátou pátou kapitolu.
Oliver má schůzku zítra ve tři čtvrtě na sedm.
Tramvaj směr York má čtyřicet tři minut zpoždění.
Film začíná za čtyřicet šest minut.
Norbert minulý měsíc skončil na čtvrtém místě.
Eva slaví narozeniny třetího ledna.
Škola má 19 žáků.
Šálky stojí ve středu odpoledne o čtyřicet pět procent méně.
Moje sestra zůstane tři dny ve městě Bonn.
Film je v sobotu v 5:55.
Zkouška začíná v neděli 16. června ve 14:10.
Silnice směr Split je dlouhá osmnáct kilometrů.
Odpověď je na straně 15.
V srpnu jede Simon na osm let do města Split.
Koncert začíná za jedenáct dní.
Naše sestra slaví narozeniny osmnáctého listopadu.
Let tři sta devadesát čtyři směr Porto přistává v pět hodin.
Černý obraz stojí 5,75 koruny.
Ulice má osmnáct domů.
Norbert slaví narozeniny 9. ledna.
Hotel má dvacet šest pokojů.
Julia má schůzku dnes v jedenáct hodin.
Trh je otevřený od pondělí do soboty od 9:45 do 23:45.
Naší dceři je devatenáct let.
Strom je vysoký pět metrů.
Přednáška je ve čtvrtek v 17:25.
Silnice směr Porto je dlouhá dvacet pět kilometrů.
Julia minulý měsíc vyhrála zápas sedm dva.
Večeříme v jednu hodinu.
Sejdeme se dvacátého prvního května v 15:25 v divadle.
Adresa je na straně 6.
Lea má jednu krávu a 15 květin.
Svatba začíná za devět minut.
Dám si čtyři kávy a tři dorty.
Zápas se koná v neděli ráno v místnosti sto třicet sedm.
Třicet devět plus dvacet jedna je šedesát.
Počasí ve městě Dortmund bude ve čtvrtek večer příjemné.
Zámek je otevřený od pátku do neděle od 6:30 do 20:15.
Potřebujeme sto padesát gramů cukru a dva litry džusu.
Žlutá židle váží 54 kilogramů.
Můj strýc loni vyhrál zápas šest tři.
Max se narodil 6. července tisíc devět set padesát.
Viktor minulý čtvrtek vyhrál zápas sedm dva.
Noční vlak směr York neodjíždí ve čtvrt na čtyři, ale v deset hodin padesát minut.
Martin obědvá v pět hodin čtyřicet minut.
Škola je v pátek ráno zavřená.
Kód k sejfu je devět pět dva čtyři.
Přednáška začíná za tři hodiny.
V bance je pět turistů.
Padesát devět plus čtyři je šedesát tři.
Clara má osm ptáků a dvacet sedm šálků.
Vlak směr Rostock neodjíždí v půl jedenácté, ale ve čtvrt na deset.
Dám si čtyři saláty a pět pizz.
Zelená kniha stojí padesát čtyři franků.
Noční vlak směr Bonn neodjíždí v devět hodin dvacet minut, ale ve tři čtvrtě na dvě.
Zeď je vysoká 90 metrů.
Clara minulé úterý skončila na devatenáctém místě.
V dubnu jede Oliver na čtyři týdny do města Bristol.
Let devět set deset směr Bordeaux přistává v šest hodin.
Kód ke kufru je sedm sedm tři devět.
Potřebujeme sedm set padesát gramů sýra a deset litrů džusu.
Jedenáct lžic a sedm vajec stojí dohromady osm franků.
Teplota ve městě Nantes je šest stupňů.
Porada trvá třicet čtyři minut.
Náš otec se narodil 22. května dva tisíce devatenáct.
Emma se narodila 21. května 2019.
Divadlo otevírá každé úterý v devět hodin.
Moje dcera minulý týden skončila na devatenáctém místě.
Mému dědečkovi je čtyřicet sedm let.
Potřebujeme třináct lamp.
Dvanáct jízdenek do města York stojí dva franky.
Člun stojí 27 korun za den.
Kód k sejfu je šest pět dva osm.
Škola je ve středu zavřená.
Tunel je dlouhý čtyřicet pět metrů.
Knihovna byla postavena v roce tisíc osm set padesát pět.
Oliver pracuje ve třetím patře.
Tramvaj směr Bonn neodjíždí ve čtvrt na osm, ale ve tři čtvrtě na jedenáct.
V knihovně je pět studentů.
Eva kupuje pět knih za 37,55 eura.
Potřebujeme 24 lahví.
Sedm citronů a sedm nožů stojí dohromady pět franků.
Potřebujeme dvacet šest květin.
Potřebujeme osm set gramů rýže a šest litrů mléka.
Červená brambora stojí dvě koruny.
Martin minulé pondělí vyhrál zápas tři jedna.
Teplota ve městě Nantes je šestnáct stupňů.
Kód k telefonu je nula sedm čtyři.
Knihovna byla postavena v roce tisíc devět set třicet jedna.
Pohlednice stojí dvacátého čtvrtého prosince o čtyřicet procent méně.
Clara kupuje třicet tři šálků za deset korun.
Naše babička se narodila 21. května tisíc devět set padesát tři.
Sejdeme se zítra v jedenáct hodin čtyřicet minut v kině.
Lžíce stojí v úterý ráno o třicet pět procent méně.
Devět jízdenek do města Dublin stojí dva tisíce pět set padesát dolarů.
Končí přednáška v osm hodin padesát pět minut?
Moje sestra kupuje šest vajec za 600 franků.
Zápas začíná za čtyři hodiny.
Představení trvá šest týdnů.
Naše matka minulý týden skončila na čtvrtém místě.
Dvě jízdenky do města Oslo stojí 7,70 eura.
Dám si šest káv a čtyři pizzy.
Kolik stojí jedenáct tužek?
Ida zůstane dva týdny ve městě Bergen.
Muzeum otevírá každé pondělí ve tři čtvrtě na sedm.
Silnice směr Rostock je dlouhá 26 kilometrů.
Můj syn začíná pracovat ve čtvrt na čtyři.
Přednáška začíná za pět týdnů.
Julia má telefonní číslo 552 902.
Potřebujeme čtyři sta padesát gramů cukru a tři litry vody.
Mé matce je 59 let.
Teplota ve městě Cardiff je dva stupně.
Trh je v pondělí odpoledne zavřený.
Lea zůstane tři dny ve městě York.
Knihovna je 2. října zavřená.
Silnice směr Madrid je dlouhá 19 kilometrů.
Viktor bydlí v Nádražní ulici 16.
Let 214 směr Split přistává v deset hodin.
Let pět set čtyřicet tři směr Oxford přistává v půl osmé.
Černý kabát stojí pět franků.
Šálek stojí 89 dolarů.
Můj syn zůstane dva měsíce ve městě Lyon.
Představení začíná za tři týdny.
Počasí ve městě Kiel bude v pondělí mlhavé.
28 míčů a pět lžic stojí dohromady dvanáct eur.
Končí zápas ve 14:15?
Zelený kufr stojí tisíc šest set padesát franků.
Nora má schůzku zítra v jednu hodinu.
Daniel slaví ve středu šesté narozeniny.
Koncert trvá tři hodiny.
Nora minulé úterý koupila 37 knih a 18 vajec.
Počasí ve městě York bude ve středu odpoledne bouřlivé.
Přednáška začíná za jednu hodinu.
Kolik stojí devět brambor?
Přednáška je v sobotu v půl desáté.
Dám si jeden dort a pět káv.
Na židli leží osm pohlednic.
Končí zápas v osm hodin třicet pět minut?
Můj syn pracuje v desátém patře.
Moje teta čte devátou kapitolu.
Byt stojí 30,50 franku za týden.
Kód ke sklepu je osm tři pět sedm.
V zásuvce leží sedm tužek.
Naší dceři jsou dva roky.
Park je otevřený od pondělí do úterý od 8:00 do 21:45.
Moje dcera kupuje deset knih za dva dolary.
Můj bratr čte třicátou první kapitolu.
Výlet začíná za jedenáct dní.
Škola je otevřená od čtvrtka do soboty od 9:15 do 21:00.
Našemu synovi je dvacet sedm let.
Banka otevírá každý pátek v 10:30.
Viktor slaví narozeniny 16. června.
Zápas je v pondělí v osm hodin.
Sejdeme se ve čtvrtek ve čtvrt na sedm v kině.
Zámek je otevřený od úterý do pátku od 9:15 do 22:30.
Na stole leží pět šálků.
Fotografie je na straně dvě stě třicet dva.
Zelená květina stojí osmdesát šest eur.
Dvacet čtyři jízdenek do města Dublin stojí 99 dolarů.
Můj syn zůstane sedm dní ve městě Bonn.
Můj otec bydlí v Tržní ulici 32.
Dám si tři čaje a čtyři kávy.
Třicet míčů a třicet tři citronů stojí dohromady třináct eur.
10 jízdenek do města Oxford stojí osm dolarů.
Restaurace je otevřená od středy do neděle od 11:30 do 21:30.
Muzeum je v pátek ráno zavřené.
Mé tetě je čtyřicet let.
Silnice směr Oslo je dlouhá osmnáct kilometrů.
Dvacet čtyři lamp a třicet čtyři nožů stojí dohromady osmnáct korun.
Martin minulou středu vyhrál zápas osm pět.
Thomas má telefonní číslo 285 555.
Vesnice má 19 obyvatel.
Let šest set devět směr Dortmund přistává v půl třetí.
Moje dcera má jednoho koně a sedm pohlednic.
Noční vlak směr Bonn má dvanáct minut zpoždění.
V kuchyni leží 14 lžic.
Max vstává ve tři čtvrtě na sedm.
Knihovna má sedmnáct knih.
Na podlaze leží pět vajec.
Mému dědečkovi je 56 let.
Deset jízdenek do města York stojí dvanáct eur.
Moje teta kupuje sedmnáct šálků za osm eur.
Autobus směr Leeds odjíždí v deset hodin čtyřicet minut z nástupiště 11.
Sejdeme se prvního března v půl desáté v hotelu.
Stůl váží devatenáct kilogramů.
Restaurace byla postavena v roce tisíc sedm set čtyřicet devět.
Žlutý nůž stojí šedesát sedm eur.
Přednáška začíná za sedm minut.
19 jízdenek do města Dortmund stojí šedesát tři eur.
Můj strýc začíná pracovat ve čtvrt na deset.
Dvacet osm klíčů a 23 košil stojí dohromady 36,70 eura.
Film začíná ve středu 13. května v půl třetí.
Park byl postaven v roce tisíc šest set šedesát sedm.
Kód k sejfu je pět pět pět čtyři.
Thomas má pět psů a deset citronů.
Eva čte třicátou čtvrtou kapitolu.
Porada je v úterý v sedm hodin.
Sara se narodila šestého dubna 1982.
Dva krát čtyři je osm.
Banka je v neděli zavřená.
Naše babička bydlí v Lesní ulici 30.
Kolik stojí tři láhve?
Daniel má schůzku v neděli v devět hodin padesát minut.
Kurz začíná za dvě hodiny.
Muzeum je ve čtvrtek ráno zavřené.
Kolik stojí dvacet čtyři nožů?
Anna má dvanáct ptáků a šest jablek.
Loď je dlouhá sedmdesát tři metrů.
Šedý stůl váží 54 kilogramů.
Pět jízdenek do města Nantes stojí 20,60 franku.
Kolik stojí pět pohlednic?
Výlet je devatenáctého prosince v šest hodin deset minut.
Oslava začíná ve středu osmého prosince v 7:20.
V září jede Eva na jeden měsíc do města Malmö.
Počasí ve městě Split bude sedmého března bouřlivé.
Obraz váží padesát devět kilogramů.
Zápas začíná v pondělí devatenáctého července v půl třetí.
Moje matka minulý měsíc vyhrála zápas pět dva.
Adam slaví narozeniny 9. srpna.
Svatba začíná za šest týdnů.
Film začíná v pátek dvacátého pátého dubna v deset hodin.
Nora slaví narozeniny 16. února.
Deset krát čtyři je čtyřicet.
Kolik stojí 10 lahví?
V kavárně je dvacet mužů.
Černý kufr váží čtyři kilogramy.
Kufry stojí v pátek odpoledne o patnáct procent méně.
Sejdeme se 27. listopadu v půl páté na zámku.
Vlak směr Dublin odjíždí ve tři čtvrtě na deset z nástupiště třináct.
Ida obědvá ve čtvrt na dvanáct.
Bílý kufr váží 12 kilogramů.
V divadle jsou tři děti.
Clara má telefonní číslo 784 935.
Představení trvá dva týdny.
Zkouška trvá dvanáct hodin.
Můj otec má deset ovcí a jedenáct klobouků.
Sejdeme se dvacátého šestého listopadu v půl desáté v muzeu.
V září jede Eva na čtyři roky do města Split.
Seznam je na straně čtyřicet osm.
V květnu jede Viktor na osm dní do města Calais.
Daniel má schůzku 12. dubna v pět hodin dvacet minut.
Kód ke dveřím je pět nula dva.
Julia slaví narozeniny třicátého prvního března.
Kolik stojí tři citrony?
Naše dcera pracuje ve čtrnáctém patře.
Hotel je šestnáctého října zavřený.
Kabát váží jedenáct kilogramů.
Koncert je dnes ve čtvrt na jedenáct.
Simon slaví narozeniny patnáctého října.
Knihovna otevírá každou sobotu v 10:20.
Emma čte osmou kapitolu.
Banka je otevřená od pátku do neděle od 7:00 do 15:15.
Oliver má telefonní číslo 279 355.
V lednu jede moje sestra na jedenáct let do města Calais.
Maria má osm ptáků a jedenáct klobouků.
Vlak směr Dublin odjíždí v šest hodin z nástupiště osmnáct.
Laura má schůzku dnes ve 23:55.
Leo zůstane dva týdny ve městě Split.
V září jede naše teta na dva týdny do města Bergen.
Devět jízdenek do města Split stojí dvacet šest korun.
Tramvaj směr Nantes má 59 minut zpoždění.
Divadlo je otevřené od úterý do pátku od 9:15 do 16:00.
Anna se narodila 27. ledna tisíc devět set osmdesát devět.
Noční vlak směr Oxford má pět minut zpoždění.
Restaurace je v pátek odpoledne zavřená.
Hotel má čtyřicet osm pokojů.
Dvacet devět jízdenek do města York stojí 10,85 koruny.
Maria minulé úterý vyhrála zápas šest čtyři.
David čte třicátou osmou kapitolu.
Porada se koná v pátek večer v místnosti 87.
Film trvá 11 hodin.
Sejdeme se v pondělí ve čtvrt na dvanáct v divadle.
Výlet trvá pět týdnů.
Noční vlak směr Oxford má deset minut zpoždění.
Zápas se koná v pátek večer v místnosti devatenáct.
Laura hraje šachy každou středu v šest hodin.
Teplota ve městě Cardiff je dvacet tři stupňů.
V kavárně jsou čtyři studenti.
Teplota ve městě Dortmund je minus třináct stupňů.
Nora bydlí v Kostelní ulici 7.
Knihovna byla postavena v roce tisíc šest set dvacet tři.
Můj otec se učí anglicky každou sobotu v půl třetí.
Přednáška je prvního května v 16:15.
Moje teta zůstane jeden měsíc ve městě Porto.
Zkouška se koná v sobotu večer v místnosti 67.
Koncert začíná v pondělí 22. listopadu v 10:15.
Knihovna je v neděli ráno zavřená.
Šedá židle váží čtyři kilogramy.
Koncert začíná za deset minut.
Teplota ve městě Leeds je třicet pět stupňů.
Teplota ve městě Bristol je dvanáct stupňů.
Sejdeme se v neděli v 8:00 na nádraží.
Naší matce je sedmdesát čtyři let.
Počasí ve městě Dortmund bude ve čtvrtek odpoledne oblačné.
Představení je 2. října v devět hodin dvacet minut.
Simon minulé úterý vyhrál zápas čtyři tři.
Robert slaví dnes devadesáté třetí narozeniny.
Dám si pět čajů a jednu polévku.
Fotografie je na straně 59.
Autobus směr Turku odjíždí v devět hodin z nástupiště 15.
Jedna láhev a čtyři vejce stojí dohromady třicet eur.
Knihovna je otevřená od úterý do neděle od 6:00 do 16:15.
Kurz je dnes v 8:15.
Zeď je vysoká osm metrů.
Sejdeme se zítra v půl šesté na zámku.
Anna plave každou sobotu ve 14:20.
Představení začíná za dvanáct dní.
Emma kupuje jeden klíč za 85 eur.
Dám si tři polévky a dvě piva.
Přednáška začíná v pondělí dvacátého osmého října ve čtvrt na osm.
Můj syn hraje šachy každou sobotu ve tři čtvrtě na sedm.
Teplota ve městě Bonn je čtyři stupně.
Na radnici je osm lékařů.
Zámek je otevřený od pondělí do středy od 8:45 do 16:30.
Šest krát tři je osmnáct.
Eva večeří ve čtvrt na čtyři.
Kurz je ve středu v půl druhé.
Teplota ve městě Bristol je minus tři stupně.
Oslava začíná za jeden týden.
Trh otevírá každou sobotu ve čtvrt na dvě.
Člun stojí dvacet čtyři eur za týden.
Kód ke dveřím je nula šest jedna nula.
Moje sestra minulou neděli skončila na sedmnáctém místě.
Škola má dvacet pět žáků.
Koncert začíná za 20 dní.
Červený klobouk stojí 75 eur.
Naše dcera má schůzku prvního srpna v 8:45.
Náš syn včera koupil třicet čtyři jablek a jednu knihu.
Banka otevírá každý čtvrtek ve čtvrt na osm.
Kufr váží dva kilogramy.
Sejdeme se v úterý ve čtvrt na dvanáct v parku.
Recept je na straně dvě stě dvacet devět.
Kolik stojí pět šálků?
Ulice má 53 domů.
Pod postelí leží jeden citron.
Náš dědeček pracuje ve třináctém patře.
Autobus směr Lyon neodjíždí ve tři čtvrtě na pět, ale ve 23:55.
Náš syn má telefonní číslo 246 819.
Seznam je na straně 8.
Max hraje fotbal každý čtvrtek ve 13:45.
Let osm set devadesát pět směr Porto přistává ve čtvrt na čtyři.
Představení trvá tři týdny.
Silnice směr York je dlouhá osm kilometrů.
Odpověď je na straně dvě stě šedesát jedna.
Trh je 7. května zavřený.
David slaví zítra padesáté sedmé narozeniny.
Adam má čtyři ovce a devět lamp.
Nádraží je dnes zavřené.
Potřebujeme tři sta padesát gramů sýra a dvanáct litrů mléka.
Šest jízdenek do města Kiel stojí 31,40 eura.
Kód k sejfu je sedm jedna čtyři tři.
Bílý koberec váží jedenáct kilogramů.
Ulice má dvacet čtyři domů.
Naše teta minulé pondělí koupila devět košil a tři jablka.
Večeříme v šest hodin.
Končí kurz ve 22:50?
Můj dědeček kupuje deset tužek za dva tisíce dvě stě padesát dolarů.
V září jede náš dědeček na pět let do města Porto.
Nože stojí ve středu ráno o sedmdesát procent méně.
Kola stojí v pondělí ráno o patnáct procent méně.
Na nádraží je dvacet čtyři žen.
Náš otec slaví narozeniny dvacátého osmého listopadu.
Košile stojí 14,15 franku.
Zápas začíná za 10 hodin.
Laura slaví narozeniny 9. ledna.
Obědvám v osm hodin.
Film je čtvrtého prosince v 16:40.
Moje teta slaví narozeniny pátého ledna.
Max pracuje ve druhém patře.
Židle váží 53 kilogramů.
Let pět set dvacet osm směr Dublin přistává ve tři čtvrtě na pět.
Sejdeme se zítra v 11:20 v parku.
V restauraci je třicet šest mužů.
Leo minulý týden vyhrál zápas šest čtyři.
Banka je otevřená od středy do soboty od 6:45 do 14:00.
Lea večeří v 18:20.
Potřebujeme čtyři sta padesát gramů mouky a sedm litrů džusu.
Dvacet šest jízdenek do města Madrid stojí 4,45 dolaru.
Náš otec slaví dnes šedesáté osmé narozeniny.
Zeď je vysoká šedesát metrů.
Porada trvá sedm hodin.
Moje babička má schůzku v sobotu v deset hodin.
Muzeum je otevřené od pátku do soboty od 9:15 do 19:00.
Autobus směr Bristol má 12 minut zpoždění.
V únoru jede Julia na devět dní do města Malmö.
Tramvaj směr Cardiff odjíždí ve tři čtvrtě na dvě z nástupiště sedm.
Končí zkouška v 8:30?
Zahrada má tisíc sedm set padesát stromů.
Můj bratr má telefonní číslo 498 276.
Koncert začíná za 10 hodin.
Počasí ve městě York bude zítra příjemné.
Recept je na straně 9.
Kód ke dveřím je čtyři jedna sedm pět.
Teplota ve městě Rostock je čtyři stupně.
V kuchyni leží 28 šálků.
Škola má osmdesát devět žáků.
Tramvaj směr Turku odjíždí v 5:00 z nástupiště 14.
Končí zápas v pět hodin?
Laura loni vyhrála zápas šest jedna.
Černý počítač váží sedm kilogramů.
Kino je v pondělí večer zavřené.
Květina stojí 4,75 franku.
Daniel minulý čtvrtek skončil na patnáctém místě.
Kabát stojí jeden dolar.
Max kupuje devět klíčů za devět franků.
Hotel byl postaven v roce 1949.
Svatba je v neděli v sedm hodin dvacet pět minut.
Film je v pátek v šest hodin čtyřicet minut.
Potřebujeme tři klobouky.
Jedna plus třicet pět je třicet šest.
Obědvám v šest hodin dvacet pět minut.
V lednu jede Nora na 16 dní do města Bonn.
Potřebujeme tři sta padesát gramů cukru a sedm litrů džusu.
Sedm plus jedenáct je osmnáct.
Trh je v pátek večer zavřený.
Vstávám ve tři čtvrtě na devět.
Kolik stojí osm pohlednic?
Mapa je na straně šedesát šest.
Náš otec slaví 26. června devadesáté první narozeniny.
Moje babička pracuje v patnáctém patře.
Garáž stojí devadesát pět korun za měsíc.
Naší tetě je osmdesát pět let.
Náš syn obědvá v sedm hodin.
Emma bydlí v Tržní ulici 30.
Simon se narodil druhého září tisíc devět set sedmdesát dva.
Deset květin a deset vajec stojí dohromady 20 eur.
Večeřím v sedm hodin.
Přicházím domů v 10:45.
Dva časopisy a čtyři citrony stojí dohromady dvě stě padesát korun.
Let 363 směr Malmö přistává ve čtyři hodiny.
Naší dceři je dvacet čtyři let.
Vlak směr Bordeaux neodjíždí v 16:15, ale v osm hodin padesát minut.
Dám si pět salátů a tři dorty.
Potřebujeme dva šálky.
V zásuvce leží 11 citronů.
David minulou středu skončil na patnáctém místě.
26 jízdenek do města Rostock stojí osm eur.
Max má schůzku v pátek v sedm hodin.
Teplota ve městě Oslo je minus devět stupňů.
Kolik stojí pět jablek?
Potřebujeme sedm set padesát gramů rýže a osm litrů vína.
Devět jízdenek do města Leeds stojí pět korun.
Divadlo je v sobotu ráno zavřené.
Počasí ve městě Leeds bude v pátek ráno oblačné.
Kino je otevřené od úterý do pátku od 9:00 do 19:30.
Teplota ve městě Ulm je dvanáct stupňů.
Náš otec kupuje třicet lžic za jednu korunu.
Klobouky stojí v pátek večer o padesát pět procent méně.
Hotel je otevřený od středy do čtvrtka od 11:15 do 14:00.
Naše dcera bydlí v Mlýnské ulici 109.
Padesát minus dvacet šest je dvacet čtyři.
Věž je vysoká třináct metrů.
Můj otec zůstane 10 měsíců ve městě Nantes.
Sejdeme se dvacátého devátého dubna ve 23:55 na nádraží.
Divadlo má 84 míst.
Clara loni skončila na jedenáctém místě.
Martin minulý týden koupil třicet šest lamp a sedm vajec.
Můj strýc má telefonní číslo 481 981.
Julia čte dvacátou devátou kapitolu.
Knihovna je otevřená od úterý do pátku od 10:15 do 20:15.
Koncert je v sobotu ve tři hodiny třicet pět minut.
Let osm set třináct směr Dublin přistává ve čtyři hodiny.
Recept je na straně 15.
Auto stojí osmdesát čtyři korun za týden.
V kuchyni leží čtyři citrony.
Adam má schůzku v neděli ve tři hodiny.
Počasí ve městě Oxford bude 27. února mlhavé.
Moje sestra má schůzku 21. května v půl dvanácté.
Potřebujeme 100 gramů masa a jeden litr mléka.
Tramvaj směr Calais neodjíždí ve 20:05, ale v deset hodin.
Kavárna je v pondělí ráno zavřená.
Řeka je široká pět metrů.
Náš strýc se narodil 24. října dva tisíce dvacet tři.
Kolik stojí jedenáct míčů?
Naší tetě je čtyřicet sedm let.
Lea minulou neděli skončila na desátém místě.
Sedm míčů a dvacet tři košil stojí dohromady šest franků.
Mému dědečkovi je čtyřicet devět let.
Porada trvá dvanáct minut.
Na radnici je jeden muž.
Kód ke garáži je devět pět tři šest.
V knihovně je padesát šest žen.
Koncert je ve středu v devět hodin.
V hotelu je 12 lékařů.
Naše teta má schůzku v pondělí ve čtvrt na šest.
Báseň je na straně 34.
Tramvaj směr York má devatenáct minut zpoždění.
Restaurace byla postavena v roce 1691.
Na židli leží tři časopisy.
Robert slaví 30. října devadesáté deváté narozeniny.
17 jízdenek do města Oslo stojí 6,35 koruny.
Kód k telefonu je tři pět osm čtyři.
Čtrnáct jízdenek do města Bristol stojí 2400 dolarů.
Náš bratr minulý měsíc koupil jedenáct lžic a 10 časopisů.
Náš syn má tři kočky a patnáct knih.
Můj bratr začíná pracovat ve čtyři hodiny dvacet pět minut.
Sejdeme se 19. dubna ve čtvrt na pět v kině.
Náš bratr slaví ve středu šedesáté čtvrté narozeniny.
Anna pracuje ve třináctém patře.
Kufr stojí 12,20 franku.
V kavárně je dvacet čtyři mužů.
Teplota ve městě Turku je pět stupňů.
Ve škole je čtyřicet osm studentů.
12 jízdenek do města Oxford stojí třicet tři franků.
Kód k telefonu je sedm osm pět.
Kolik stojí jedenáct brambor?
Autobus směr York má dvacet osm minut zpoždění.
Moje teta hraje šachy každou sobotu ve tři čtvrtě na pět.
Sejdeme se v neděli v pět hodin v knihovně.
Divadlo je otevřené od pondělí do neděle od 6:45 do 15:00.
Norbert má telefonní číslo 318 752.
Noční vlak směr Turku má devatenáct minut zpoždění.
Nora má schůzku zítra ve čtyři hodiny.
Sejdeme se šestnáctého června ve čtvrt na jedenáct na zámku.
Sejdeme se dvacátého února ve čtyři hodiny v hotelu.
Kód k sejfu je devět čtyři jedna osm.
Můj bratr včera koupil devět košil a 16 míčů.
Zkouška začíná za padesát čtyři minut.
Zkouška trvá tři hodiny.
Jedna kniha a šest tužek stojí dohromady 54 korun.
Přednáška začíná v pondělí třicátého května v půl jedenácté.
Dům stojí dva tisíce tři sta padesát franků za týden.
Sedm krát šest je čtyřicet dva.
Emma slaví narozeniny 15. září.
Kino bylo postaveno v roce 1981.
Čtyřicet sedm plus čtyři je padesát jedna.
Můj strýc loni koupil 39 vajec a 25 lamp.
Kód k telefonu je jedna sedm jedna.
Počasí ve městě Malmö bude v pátek večer slunečné.
Kola stojí ve čtvrtek odpoledne o třicet procent méně.
Noční vlak směr Kiel neodjíždí v jedenáct hodin, ale v 6:00.
Potřebujeme čtrnáct lamp.
Muzeum bylo postaveno v roce 1669.
Našemu synovi je 24 let.
Výlet je 25. ledna v šest hodin.
Lampy stojí ve středu o čtyřicet procent méně.
Moje dcera bydlí v Mlýnské ulici 12.
Zámek otevírá každý čtvrtek v půl jedenácté.
Dám si pět čajů a pět salátů.
Představení trvá šest minut.
Počasí ve městě Bonn bude třicátého června větrné.
Hotel je otevřený od pondělí do čtvrtka od 8:15 do 23:45.
Robert plave každé úterý ve 22:40.
Teplota ve městě Bonn je minus devět stupňů.
Výlet je v pátek ve 20:30.
Teplota ve městě Dublin je třicet stupňů.
Film začíná v pondělí 22. října v deset hodin padesát minut.
Věž je vysoká 11 metrů.
Představení se koná v pondělí ráno v místnosti 12.
Moje babička čte dvacátou kapitolu.
Končí oslava ve čtvrt na jedenáct?
Devadesát jedna minus třicet dva je padesát devět.
Žlutý obraz váží tři kilogramy.
Lžíce stojí šedesát devět franků.
Clara se narodila 12. srpna tisíc devět set šedesát tři.
V parku je pět turistů.
Film se koná v pondělí večer v místnosti dvě stě dvacet šest.
Zámek je otevřený od úterý do soboty od 9:15 do 14:45.
Dám si čtyři kávy a jednu pizzu.
Zkouška začíná v pondělí dvanáctého prosince ve čtvrt na dvě.
Naše matka kupuje šest citronů za 24,40 koruny.
Divadlo bylo postaveno v roce tisíc šest set devadesát jedna.
Naše teta minulou neděli koupila jednu tužku a čtyřicet lamp.
Moje teta se narodila dvacátého prvního dubna dva tisíce čtrnáct.
Potřebujeme sto padesát gramů sýra a jeden litr vody.
Přednáška trvá dvanáct hodin.
Svatba začíná za deset hodin.
Výlet se koná dnes v místnosti 2.
Svatba se koná v pondělí večer v místnosti sedmnáct.
Pět jízdenek do města Turku stojí devadesát osm eur.
Moje matka čte třicátou první kapitolu.
Simon kupuje devatenáct košil za sedm eur.
V kině jsou dva hosté.
Můj strýc pracuje v osmém patře.
Vlak směr Cardiff odjíždí ve tři čtvrtě na tři z nástupiště 16.
Potřebujeme čtyřicet lžic.
Teplota ve městě Rostock je 11 stupňů.
Adam slaví narozeniny dvacátého šestého srpna.
Zkouška je dvacátého února v šest hodin třicet pět minut.
V lednu jede Laura na dva roky do města Oslo.
Svatba začíná v sobotu dvacátého čtvrtého února v půl desáté.
Náš syn má osm krav a 15 citronů.
Emma slaví v úterý osmdesáté páté narozeniny.
Kino bylo postaveno v roce 1774.
David zůstane osm týdnů ve městě Ulm.
Ida kupuje dva šálky za jednu korunu.
Náš bratr má sedm ptáků a devět lamp.
Silnice směr Malmö je dlouhá devět kilometrů.
Šest jízdenek do města Oxford stojí osm dolarů.
Sejdeme se zítra ve 22:35 na radnici.
Vstáváme ve tři hodiny padesát pět minut.
Tramvaj směr Turku odjíždí ve čtvrt na osm z nástupiště sedmnáct.
Silnice směr Nantes je dlouhá čtyři kilometry.
Oliver slaví v pátek padesáté druhé narozeniny.
Naše teta bydlí v Nádražní ulici 85.
Nora se narodila 28. prosince 2002.
Končí oslava v deset hodin?
Noční vlak směr Dortmund odjíždí ve 21:15 z nástupiště 2.
V knihovně je 30 hostů.
Obraz stojí 10,50 eura.
Byt stojí 28 eur za týden.
Let osm set dvacet šest směr Bonn přistává v půl šesté.
Strom je vysoký dvacet tři metrů.
Kurz je zítra ve dvě hodiny dvacet pět minut.
Počasí ve městě Porto bude v pondělí ráno bouřlivé.
Čtyři časopisy a 39 lžic stojí dohromady dva franky.
Jedenáct jízdenek do města Lyon stojí devět korun.
Na stole leží deset klobouků.
Divadlo otevírá každou neděli ve čtvrt na devět.
Autobus směr Kiel má tři minuty zpoždění.
Nina bydlí v Mostní ulici 116.
Silnice směr Lyon je dlouhá padesát pět kilometrů.
Lea čte devatenáctou kapitolu.
Potřebujeme padesát gramů masa a osm litrů vody.
Mému synovi je devět let.
Sara pracuje ve dvanáctém patře.
Končí představení v deset hodin?
Anna má telefonní číslo 527 961.
Daniel zůstane 15 dní ve městě Ulm.
Teplota ve městě Cardiff je osmnáct stupňů.
Martin loni koupil šest časopisů a 15 květin.
Autobus směr Bonn má dvě minuty zpoždění.
Let dvě stě osm směr Bonn přistává v devět hodin deset minut.
V hotelu je 36 mužů.
Sejdeme se 6. června v pět hodin v restauraci.
Pod postelí leží 10 košil.
Tramvaj směr Bristol má sedm minut zpoždění.
Svatba trvá dva týdny.
Náš bratr slaví 31. ledna osmdesáté šesté narozeniny.
Moje teta čte dvacátou devátou kapitolu.
Julia má schůzku dnes v deset hodin.
Daniel má jednu ovci a dvě tužky.
Muzeum bylo postaveno v roce 1840.
Koncert začíná v pondělí dvacátého šestého března v 9:05.
Silnice směr Bordeaux je dlouhá jedenáct kilometrů.
V hotelu je 17 studentů.
Norbert zůstane 10 týdnů ve městě Turku.
Lea pracuje v prvním patře.
Potřebujeme devět míčů.
Výlet začíná za osm hodin.
Dvanáct jízdenek do města Dortmund stojí 22,80 dolaru.
Nina slaví 11. ledna šedesáté sedmé narozeniny.
V košíku leží 33 míčů.
Let osm set třicet dva směr Bergen přistává v šest hodin dvacet minut.
Zkouška je ve čtvrtek v pět hodin.
Knihy stojí ve čtvrtek odpoledne o třicet pět procent méně.
Trh je ve středu odpoledne zavřený.
Zkouška začíná za 17 dní.
Představení začíná v pondělí dvacátého devátého prosince ve čtvrt na deset.
Potřebujeme padesát gramů masa a šest litrů vína.
Potřebujeme osm set gramů cukru a jeden litr vody.
Laura má telefonní číslo 342 200.
V květnu jede Anna na dvanáct let do města Lyon.
Osm časopisů a osmnáct květin stojí dohromady osm franků.
Můj strýc kupuje dvě pohlednice za 14,35 dolaru.
Tramvaj směr Cardiff odjíždí ve 20:50 z nástupiště 10.
Náš otec má telefonní číslo 627 857.
Kufr váží 13 kilogramů.
Divadlo je otevřené od středy do soboty od 10:00 do 19:45.
Laura minulý týden vyhrála zápas šest pět.
Clara včera skončila na sedmnáctém místě.
Kód ke garáži je sedm sedm tři osm.
V březnu jede moje dcera na čtyři roky do města Split.
V restauraci je čtyřicet čtyři mužů.
Oliver snídá ve čtyři hodiny.
Naše matka má telefonní číslo 705 759.
Končí oslava v šest hodin?
Škola má tisíc osm set padesát žáků.
Sara slaví narozeniny 15. července.
Představení je 11. února v půl páté.
40 časopisů a dvacet pohlednic stojí dohromady 5,85 koruny.
Martin má telefonní číslo 306 241.
Moje dcera se narodila šestnáctého prosince tisíc devět set šedesát dva.
Banka byla postavena v roce 1741.
Kufr váží 34 kilogramů.
Oliver slaví v sobotu devatenácté narozeniny.
Červený koberec váží třicet kilogramů.
Daniel čte šestnáctou kapitolu.
Představení začíná za devět minut.
Park otevírá každý čtvrtek ve tři čtvrtě na pět.
Kolo stojí tisíc tři sta korun za měsíc.
Noční vlak směr Rostock má čtrnáct minut zpoždění.
V muzeu je osm turistů.
Počasí ve městě Bristol bude v úterý odpoledne slunečné.
Let tři sta čtyřicet pět směr Bonn přistává ve 12:20.
Julia má schůzku osmnáctého června v půl jedenácté.
David má sedm ptáků a 13 míčů.
Daniel zůstane dva roky ve městě Turku.
Končí výlet ve čtvrt na dvanáct?
Oliver pracuje v sedmém patře.
Emma vstává ve tři čtvrtě na deset.
Moje dcera zůstane sedm měsíců ve městě Oslo.
Našemu bratrovi jsou tři roky.
Ida slaví ve středu devadesáté páté narozeniny.
Dám si dva dorty a jednu kávu.
Třicet pět tužek a jedna lampa stojí dohromady dvacet pět franků.
Park otevírá každé pondělí v 6:10.
Simon má telefonní číslo 324 276.
Kabát stojí devět dolarů.
Černý stůl váží 58 kilogramů.
Naše sestra hraje šachy každý čtvrtek v 16:35.
Kurz začíná ve středu 13. února ve čtvrt na šest.
Zkouška se koná v sobotu odpoledne v místnosti sto šedesát pět.
Moje matka minulou neděli skončila na prvním místě.
Oslava začíná v pondělí dvacátého pátého února ve 21:10.
Dvacet šest plus šestnáct je čtyřicet dva.
Maria minulý čtvrtek koupila jedenáct lžic a 18 vajec.
Počasí ve městě Rostock bude devátého dubna bouřlivé.
Silnice směr Bristol je dlouhá osmdesát čtyři kilometrů.
Julia vstává v pět hodin.
Daniel má osm ptáků a 12 citronů.
Tramvaj směr Rostock neodjíždí ve 14:40, ale v deset hodin dvacet pět minut.
Stůl váží dvacet kilogramů.
Adam bydlí v Tržní ulici 77.
Zkouška začíná za dvacet devět minut.
Můj strýc pracuje v patnáctém patře.
Klíče stojí zítra o třicet procent méně.
Autobus směr Dortmund má čtyři minuty zpoždění.
Škola otevírá každé pondělí ve tři hodiny.
Naše sestra má telefonní číslo 297 695.
Dům stojí tisíc šest set padesát franků za týden.
Moje dcera slaví narozeniny 21. prosince.
Sara pracuje v osmém patře.
Divadlo má devadesát šest míst.
Počasí ve městě Porto bude v pátek odpoledne teplé.
Třicet tři minus čtrnáct je devatenáct.
Adresa je na straně dvě stě dva.
Černé kolo váží tři kilogramy.
Simon slaví v sobotu devadesáté deváté narozeniny.
Radnice je otevřená od pátku do soboty od 9:45 do 20:15.
Eva minulý měsíc skončila na dvacátém místě.
Julia má telefonní číslo 791 614.
Obědváme ve čtvrt na tři.
Škola byla postavena v roce 1639.
Můj dědeček minulý pátek skončil na druhém místě.
Hotel má dva tisíce sedm set pokojů.
Lea má telefonní číslo 665 841.
Končí zkouška v osm hodin dvacet pět minut?
Dám si dvě polévky a dvě kávy.
Muzeum otevírá každou středu v jednu hodinu.
Sara bydlí v Mostní ulici 86.
Adam slaví zítra sedmdesáté první narozeniny.
Kurz trvá jeden týden.
Na podlaze leží 12 lžic.
Lžíce stojí jedenáct franků.
Potřebujeme dvě stě padesát gramů mouky a tři litry mléka.
Kurz trvá sedm týdnů.
Naše babička má schůzku dvacátého prosince v devět hodin.
V březnu jede Daniel na osm měsíců do města Bonn.
Potřebujeme 800 gramů másla a šest litrů vína.
Leo začíná pracovat ve čtvrt na dvanáct.
Knihovna má 24 knih.
Můj dědeček minulý měsíc skončil na čtvrtém místě.
Dám si šest dortů a čtyři saláty.
Člun stojí 35,65 franku za týden.
Dvacet osm jízdenek do města Ulm stojí sedm franků.
Černá květina stojí tisíc devět set padesát franků.
Našemu bratrovi je deset let.
Zámek otevírá každý pátek ve čtvrt na dvanáct.
Hotel otevírá každou sobotu v 5:40.
Červená lampa stojí tři franky.
Trh byl postaven v roce tisíc osm set dvacet osm.
Sejdeme se jedenáctého října ve čtyři hodiny v kině.
Počasí ve městě Kiel bude v sobotu větrné.
Naše teta zůstane 10 měsíců ve městě Nantes.
Večeřím ve 12:30.
Vlak směr Oxford neodjíždí v 8:20, ale ve čtvrt na osm.
Přednáška trvá padesát osm minut.
Náš dědeček loni skončil na desátém místě.
Moje dcera se narodila čtrnáctého října 2010.
Film je 23. října v 6:15.
Porada je 9. ledna ve tři čtvrtě na devět.
Let pět set směr Lyon přistává ve čtvrt na devět.
Norbert přichází domů v šest hodin dvacet pět minut.
Věž je vysoká 59 metrů.
Obrazy stojí zítra o šedesát pět procent méně.
Na stole leží šest lžic.
Norbert minulé pondělí vyhrál zápas sedm dva.
Tramvaj směr Lyon má čtyřicet devět minut zpoždění.
Teplota ve městě Madrid je 24 stupňů.
Simon zůstane jedenáct dní ve městě Split.
Kavárna byla postavena v roce tisíc šest set osmdesát sedm.
Naše teta má šest koček a deset klobouků.
Naše teta bydlí v Mlýnské ulici 115.
20 jízdenek do města Madrid stojí 37 korun.
Most je dlouhý sedmdesát osm metrů.
Oliver slaví narozeniny šestnáctého června.
Ida zůstane jeden rok ve městě Madrid.
Zápas začíná ve středu 13. září v devět hodin.
Radnice je otevřená od úterý do středy od 9:45 do 20:15.
Ve škole je 43 turistů.
Film začíná v sobotu 19. ledna ve 22:55.
Viktor zůstane šest týdnů ve městě Oxford.
Kolik stojí pět tužek?
Norbert pracuje ve čtvrtém patře.
Sejdeme se šestnáctého března v půl desáté v kavárně.
Kód ke dveřím je jedna osm dva sedm.
Kolik stojí 39 košil?
Vejce stojí 19,95 eura.
Kolik stojí dvacet devět pohlednic?
Náš strýc včera vyhrál zápas šest čtyři.
Restaurace byla postavena v roce tisíc osm set padesát dva.
V parku je sedmnáct studentů.
Viktor kupuje devět pohlednic za jeden frank.
Náš syn vaří každé pondělí v jedenáct hodin.
Simon zůstane dva dny ve městě Split.
Končí zkouška ve tři čtvrtě na deset?
Kód ke sklepu je tři jedna pět.
Max slaví narozeniny 7. června.
Kód ke kufru je osm tři čtyři šest.
Devět jízdenek do města Turku stojí 28,15 dolaru.
Laura pracuje v šestém patře.
Potřebujeme sto padesát gramů masa a čtyři litry džusu.
Moje dcera slaví narozeniny šestého ledna.
Teplota ve městě Turku je třicet čtyři stupňů.
Tramvaj směr Bergen neodjíždí ve čtvrt na dvanáct, ale v půl deváté.
Žlutá židle stojí jeden frank.
Jedna brambora a 12 citronů stojí dohromady 34,80 dolaru.
Končí koncert v osm hodin?
Tramvaj směr Ulm neodjíždí ve tři čtvrtě na čtyři, ale ve 14:20.
Náš otec kupuje šest tužek za jednu korunu.
Tramvaj směr Lyon neodjíždí v pět hodin, ale v jedenáct hodin.
Daniel slaví dnes čtyřicáté osmé narozeniny.
Můj dědeček bydlí v Kostelní ulici 16.
Laura čte osmnáctou kapitolu.
Končí zápas v jedenáct hodin?
Odpověď je na straně padesát osm.
Moje sestra minulý pátek skončila na patnáctém místě.
Žlutý klíč stojí sedm dolarů.
Potřebujeme 600 gramů sýra a čtyři litry oleje.
Náš dědeček zůstane devět dní ve městě Turku.
Seznam je na straně 263.
Eva má schůzku jedenáctého srpna v pět hodin.
Kurz trvá jednu hodinu.
Norbert slaví narozeniny 16. prosince.
Vlak směr Porto neodjíždí v 5:40, ale ve čtyři hodiny.
Norbert minulý týden vyhrál zápas sedm jedna.
Autobus směr Madrid odjíždí ve tři čtvrtě na jedenáct z nástupiště šest.
Černý citron stojí osm dolarů.
Zápas se koná ve středu odpoledne v místnosti dvě stě dvacet čtyři.
Potřebujeme jeden klíč.
Divadlo bylo postaveno v roce 1886.
Počasí ve městě Oslo bude v úterý ráno deštivé.
Můj bratr zůstane pět měsíců ve městě Lyon.
Thomas slaví v neděli šedesáté deváté narozeniny.
Potřebujeme tři knihy.
Emma slaví narozeniny desátého ledna.
Ulice má devět set domů.
Laura bydlí v Zámecké ulici 70.
Modrá tužka stojí 20,10 koruny.
Vlak směr Bristol odjíždí v 15:40 z nástupiště šest.
Leo má telefonní číslo 669 590.
Výlet je 21. května ve tři hodiny.
Kino je otevřené od středy do soboty od 10:30 do 19:45.
Odpověď je na straně dvacet devět.
Náš syn se narodil druhého ledna 1960.
Viktor zůstane devět měsíců ve městě Rostock.
Můj bratr bydlí v Zahradní ulici 6.
Sejdeme se v úterý v 17:40 ve škole.
Potřebujeme čtyři sta padesát gramů masa a sedm litrů džusu.
Kolik stojí 34 pohlednic?
Thomas pracuje v devátém patře.
Daniel včera vyhrál zápas šest čtyři.
Let 898 směr Oxford přistává v půl čtvrté.
Norbert vaří každé pondělí v 15:35.
Autobus směr Oslo neodjíždí v pět hodin dvacet minut, ale ve čtvrt na jedenáct.
Let 332 směr Nantes přistává v půl čtvrté.
Tramvaj směr Nantes odjíždí v 8:10 z nástupiště 10.
Můj syn včera skončil na šestnáctém místě.
Svatba trvá 16 minut.
Porada začíná v pátek 20. srpna v půl sedmé.
Končí koncert ve čtvrt na pět?
Nože stojí osmnáctého června o padesát procent méně.
Potřebujeme deset brambor.
25 jízdenek do města Dortmund stojí sedm dolarů.
Koberce stojí 4. července o šedesát pět procent méně.
Výlet začíná v pondělí desátého června v jednu hodinu.
Výlet začíná v neděli osmého prosince ve tři hodiny.
Svatba začíná v neděli dvacátého prvního června v pět hodin.
Potřebujeme sedm brambor.
Silnice směr Porto je dlouhá jedenáct kilometrů.
Končí svatba ve čtyři hodiny?
Počasí ve městě Oslo bude v neděli večer suché.
Moje matka kupuje čtyři časopisy za čtyři franky.
Náš otec kupuje osmnáct klíčů za čtyři franky.
Obraz váží dva kilogramy.
Muzeum je otevřené od čtvrtka do pátku od 10:15 do 14:00.
Počasí ve městě Oxford bude patnáctého srpna chladné.
Obědvám v 18:50.
Ulice je široká 16 metrů.
Bílý nůž stojí devět dolarů.
Dám si čtyři kávy a čtyři polévky.
Zápas je osmnáctého května ve čtyři hodiny.
Náš dědeček loni skončil na druhém místě.
Nora zůstane šest týdnů ve městě Split.
Počasí ve městě Nantes bude dvacátého šestého července slunečné.
Oslava je ve středu v půl jedenácté.
Počasí ve městě Cardiff bude ve čtvrtek večer příjemné.
Lea má devět krav a deset knih.
Potřebujeme patnáct časopisů.
Sejdeme se v úterý v 8:50 v muzeu.
Bílý koberec váží sedm kilogramů.
Osmnáct vajec a pět košil stojí dohromady 76 eur.
Film trvá pět týdnů.
33 tužek a 25 lžic stojí dohromady 55 korun.
Sejdeme se v pondělí v 9:45 v bance.
Můj syn má schůzku v neděli ve čtvrt na dvanáct.
Dám si čtyři saláty a dva čaje.
Thomas vaří každou sobotu ve čtyři hodiny čtyřicet minut.
Čtyři jízdenky do města Bergen stojí 22,85 franku.
Ida čte třicátou pátou kapitolu.
Silnice směr Nantes je dlouhá sedmdesát tři kilometrů.
Let 255 směr Cardiff přistává v devět hodin.
Potřebujeme 39 jablek.
Dám si dvě polévky a čtyři čaje.
Představení začíná za čtyři hodiny.
Maria minulý týden vyhrála zápas šest dva.
Vejce stojí ve středu odpoledne o patnáct procent méně.
V kuchyni leží 38 jablek.
Koncert trvá čtyřicet osm minut.
Adresa je na straně 4.
Radnice byla postavena v roce 1667.
Vlak směr Kiel neodjíždí v osm hodin padesát minut, ale ve tři hodiny.
Oslava začíná za devět hodin.
Film začíná za osmnáct dní.
Vlak směr Split neodjíždí v půl čtvrté, ale ve 23:50.
Tramvaj směr Bergen má dvě minuty zpoždění.
Naše matka se narodila čtrnáctého července 1994.
Vlak směr Rostock neodjíždí v půl desáté, ale v jednu hodinu třicet pět minut.
Nora se narodila třicátého listopadu 1966.
Počasí ve městě Calais bude ve čtvrtek teplé.
Potřebujeme 200 gramů cukru a jeden litr vína.
Noční vlak směr Malmö má 30 minut zpoždění.
Kufr váží čtyři kilogramy.
Simon čte devátou kapitolu.
Julia má schůzku 13. května v 5:15.
29 šálků a tři brambory stojí dohromady dvanáct korun.
Počasí ve městě Rostock bude zítra oblačné.
Tramvaj směr Leeds odjíždí v jednu hodinu z nástupiště 16.
Max obědvá ve tři hodiny.
Moje teta slaví narozeniny 19. října.
Max obědvá ve čtvrt na pět.
Strom je vysoký sedmnáct metrů.
David má schůzku 2. června v pět hodin dvacet minut.
Potřebujeme 34 košil.
Náš strýc minulý pátek koupil dva klobouky a třináct knih.
Moje dcera má schůzku v úterý v sedm hodin čtyřicet minut.
Laura čte šestou kapitolu.
Padesát osm minus dvanáct je čtyřicet šest.
Hotel má devět set pokojů.
Náš otec večeří ve dvě hodiny dvacet pět minut.
Na židli leží třicet tři lžic.
Adresa je na straně jedna.
Seznam je na straně tři.
Simon má schůzku ve čtvrtek ve tři hodiny.
Zápas se koná ve čtvrtek večer v místnosti 38.
Můj strýc minulý týden skončil na šestém místě.
Přednáška trvá jedenáct hodin.
David minulý pátek koupil osm knih a pět nožů.
Potřebujeme sedm set padesát gramů cukru a sedm litrů mléka.
Můj otec hraje šachy každé úterý v sedm hodin.
Sejdeme se dvacátého šestého dubna v jednu hodinu v restauraci.
Modrý časopis stojí tři dolary.
Ida bydlí v Zámecké ulici 105.
Emma čte třicátou devátou kapitolu.
Noční vlak směr Ulm odjíždí v deset hodin z nástupiště osm.
Dvacet jízdenek do města Bergen stojí osmdesát čtyři franků.
Kurz trvá osmnáct dní.
Adresa je na straně 81.
Eva večeří v pět hodin.
Končí představení v osm hodin?
Koncert se koná druhého ledna v místnosti 73.
Ida přichází domů ve tři hodiny padesát pět minut.
V dubnu jede moje matka na devět let do města Madrid.
Věž je vysoká čtyřicet osm metrů.
Maria pracuje v jedenáctém patře.
Thomas bydlí v Mostní ulici 114.
Potřebujeme 250 gramů rýže a čtyři litry vody.
Knihovna otevírá každý čtvrtek v deset hodin.
Škola je 5. dubna zavřená.
Potřebujeme osmdesát gramů másla a jeden litr oleje.
Laura zůstane osm let ve městě Split.
Martin minulý pátek skončil na třetím místě.
Banka je otevřená od úterý do pátku od 9:00 do 20:15.
Tramvaj směr Oxford má dvacet pět minut zpoždění.
Lea slaví 14. dubna šedesáté sedmé narozeniny.
V říjnu jede Julia na sedm týdnů do města Dortmund.
V dubnu jede Viktor na osm let do města Dortmund.
Zkouška začíná v pondělí třicátého října v 15:25.
Let šest set padesát směr Kiel přistává ve čtvrt na osm.
Laura kupuje dvě tužky za tři dolary.
Banka je otevřená od středy do čtvrtka od 11:30 do 23:15.
Naše teta má telefonní číslo 246 912.
Devatenáct plus osmnáct je třicet sedm.
Naše babička včera koupila patnáct brambor a dvacet nožů.
Nádraží je ve čtvrtek ráno zavřené.
Ulice je široká 74 metrů.
Tramvaj směr Lyon neodjíždí ve čtvrt na šest, ale v jedenáct hodin dvacet minut.
Počasí ve městě Bordeaux bude v pátek večer suché.
Naše teta má telefonní číslo 381 157.
Kurz se koná ve středu odpoledne v místnosti 19.
Auto stojí 32,10 franku za týden.
Moje sestra má dvanáct koček a pět lamp.
Třicet devět lžic a jedenáct knih stojí dohromady dvě koruny.
Zápas začíná v pátek šestnáctého září v 16:40.
Počasí ve městě York bude dvacátého pátého května větrné.
Časopisy stojí 6. prosince o třicet procent méně.
Simon má schůzku zítra v devět hodin.
Nina minulý měsíc vyhrála zápas sedm dva.
Oslava je jedenáctého února v půl sedmé.
Potřebujeme sedm míčů.
Výlet trvá dva týdny.
Vesnice má dva tisíce šest set obyvatel.
Bílý stůl váží čtyřicet sedm kilogramů.
Noční vlak směr Lyon neodjíždí v 15:20, ale v půl druhé.
Sara bydlí v Zahradní ulici 9.
Noční vlak směr Turku odjíždí ve tři čtvrtě na šest z nástupiště 7.
Sejdeme se dvacátého prvního dubna ve čtyři hodiny v parku.
Zápas je dnes v půl šesté.
Dám si pět polévek a jeden dort.
Bílý obraz stojí jeden frank.
Škola je otevřená od pondělí do středy od 7:45 do 21:00.
Svatba se koná v úterý v místnosti 11.
Simon má devět ptáků a osm tužek.
Lea zůstane osm měsíců ve městě Oslo.
Dvacet tři jízdenek do města Oxford stojí čtyři dolary.
V kině je 54 hostů.
Moje matka hraje tenis každé pondělí v devět hodin.
Můj strýc bydlí v Zahradní ulici 110.
Zápas začíná za osm týdnů.
Tramvaj směr Turku má 15 minut zpoždění.
Tužky stojí v neděli ráno o šedesát procent méně.
Simon se narodil šestnáctého února dva tisíce sedmnáct.
Vlak směr Oslo má tři minuty zpoždění.
Koncert trvá šestnáct dní.
V muzeu je padesát tři turistů.
Radnice byla postavena v roce 1892.
Moje teta se narodila pátého října 1999.
David slaví v sobotu třicáté čtvrté narozeniny.
Potřebujeme třináct nožů.
Deset krát tři je třicet.
Divadlo má tisíc čtyři sta padesát míst.
Restaurace je ve středu zavřená.
V kavárně je šest turistů.
Laura kupuje deset knih za třicet pět dolarů.
Porada trvá čtyřicet osm minut.
Vlak směr Oxford má 29 minut zpoždění.
Večeříme ve 14:45.
Max slaví narozeniny osmnáctého února.
Teplota ve městě Oxford je 12 stupňů.
Silnice směr Oxford je dlouhá 400 kilometrů.
Viktor minulý měsíc skončil na sedmém místě.
Restaurace je v úterý odpoledne zavřená.
Vstáváme v pět hodin.
Výlet se koná v pondělí v místnosti dvě stě dvacet.
Koncert se koná 1. května v místnosti devět.
Můj dědeček hraje tenis každou středu v 19:15.
V knihovně je 25 dětí.
Jedna jízdenka do města Dublin stojí třináct dolarů.
Koncert trvá 17 minut.
Zámek otevírá každou sobotu v devět hodin.
Moje babička pracuje ve dvanáctém patře.
Let 706 směr Malmö přistává v jedenáct hodin.
Film začíná v pondělí prvního srpna v jednu hodinu.
Můj syn má schůzku dnes v 10:05.
Potřebujeme sto gramů cukru a dvanáct litrů vína.
Můj strýc má schůzku v pondělí ve 12:55.
Náš otec loni vyhrál zápas pět tři.
Oliver kupuje pět šálků za tři franky.
Můj strýc bydlí v Tržní ulici 25.
Počasí ve městě Turku bude v pondělí chladné.
Dám si dvě polévky a dva saláty.
Sejdeme se v pátek v půl páté v knihovně.
Dvacet tři jízdenek do města Madrid stojí pět eur.
Dvacet šest plus dvacet čtyři je padesát.
Vlak směr Malmö má deset minut zpoždění.
Naše babička se narodila čtvrtého června 1961.
Adresa je na straně padesát.
Naše sestra plave každý pátek v sedm hodin.
David slaví narozeniny 12. dubna.
Dám si tři piva a dvě polévky.
Maria hraje na klavír každé pondělí ve čtyři hodiny třicet pět minut.
Výlet trvá čtyřicet šest minut.
Silnice směr Kiel je dlouhá šedesát čtyři kilometrů.
Výlet je sedmnáctého února ve tři čtvrtě na dvě.
V kavárně je dvacet osm žen.
Thomas pracuje v desátém patře.
Obrazy stojí v úterý ráno o padesát pět procent méně.
Laura minulé úterý koupila pět tužek a 10 citronů.
Teplota ve městě Kiel je dvanáct stupňů.
Můj dědeček se narodil 7. března tisíc devět set devadesát čtyři.
Čtyřicet tři plus deset je padesát tři.
Eva kupuje sedmnáct knih za dva dolary.
Lea se narodila 26. října 1962.
Náš otec se narodil 1. února tisíc devět set devadesát pět.
Lea bydlí v Lesní ulici 60.
Třicet pohlednic a šest nožů stojí dohromady osm dolarů.
Kolik stojí deset šálků?
Daniel pracuje ve čtrnáctém patře.
Končí výlet v 7:20?
Zeď je vysoká třináct metrů.
V září jede moje dcera na tři dny do města Rostock.
Clara minulé pondělí koupila dva nože a třicet pět lamp.
Můj strýc slaví osmého prosince osmdesáté deváté narozeniny.
Restaurace otevírá každou sobotu v 9:30.
Thomas minulý měsíc skončil na druhém místě.
Radnice je otevřená od soboty do neděle od 11:30 do 20:15.
Dům stojí dvacet sedm korun za měsíc.
Náš bratr bydlí v Zámecké ulici 18.
Kód ke kufru je čtyři jedna šest.
Na trhu je čtrnáct mužů.
Báseň je na straně 82.
Kód ke kufru je devět osm sedm osm.
Leo má schůzku 16. června v osm hodin.
Svatba začíná v pátek třináctého února v půl páté.
Lea slaví narozeniny dvacátého osmého dubna.
Autobus směr Turku má 53 minut zpoždění.
Vlak směr Bordeaux neodjíždí ve čtvrt na tři, ale ve 23:50.
Kolik stojí třicet pohlednic?
Na stole leží 11 knih.
Sara minulou středu skončila na šestnáctém místě.
Thomas má telefonní číslo 234 754.
Zámek byl postaven v roce 1651.
Tramvaj směr Dortmund má 38 minut zpoždění.
Zahrada je dlouhá osm metrů.
Emma kupuje tři tužky za devět eur.
Počasí ve městě Cardiff bude v pondělí večer větrné.
Kód ke dveřím je šest tři tři nula.
Potřebujeme 10 časopisů.
Báseň je na straně sedmdesát devět.
Kolo stojí 25 korun za týden.
Výlet je dvanáctého října ve čtvrt na jedenáct.
Můj dědeček slaví 24. prosince třicáté druhé narozeniny.
Radnice byla postavena v roce 1685.
Noční vlak směr Leeds neodjíždí v 5:25, ale ve 21:30.
Film začíná za jedenáct minut.
Počasí ve městě Dortmund bude ve čtvrtek odpoledne deštivé.
Nora bydlí v Květinové ulici 84.
Na radnici je sedm dětí.
Clara se narodila čtvrtého dubna 1979.
Výlet začíná za devatenáct dní.
Košile stojí šest eur.
Moje babička má schůzku třináctého dubna v jednu hodinu padesát minut.
Mé tetě je sedmdesát devět let.
V dubnu jede náš syn na deset měsíců do města Split.
Moje matka hraje tenis každý pátek ve tři čtvrtě na devět.
Končí porada v 15:25?
Anna pracuje každou neděli v jednu hodinu.
Kolik stojí 11 košil?
Oliver se narodil třináctého května 1985.
V říjnu jede Leo na sedm let do města Ulm.
Židle váží 34 kilogramů.
Tři jízdenky do města Oslo stojí 35,85 koruny.
Můj dědeček včera skončil na prvním místě.
Počasí ve městě Rostock bude v neděli větrné.
Dám si dvě kávy a šest čajů.
Film začíná za pět minut.
Film je dnes v jedenáct hodin padesát pět minut.
Knihovna je devátého února zavřená.
Naše matka minulý čtvrtek skončila na osmém místě.
Teplota ve městě Porto je sedm stupňů.
Kavárna je v pátek ráno zavřená.
Sejdeme se 24. dubna v půl páté v restauraci.
Anna má telefonní číslo 415 807.
Divadlo má 69 míst.
Kolik stojí dvacet osm brambor?
V knihovně je padesát lékařů.
Maria má schůzku osmého srpna v 7:10.
Jedno jablko a jedenáct citronů stojí dohromady 15,30 franku.
Třicet sedm minus dva je třicet pět.
Naše babička slaví narozeniny 31. srpna.
Časopis stojí 26,15 eura.
Dvanáct košil a třicet sedm vajec stojí dohromady 65 franků.
Devět jízdenek do města Bordeaux stojí 4,30 eura.
Daniel má sedm koček a čtyři tužky.
Našemu otci je šedesát osm let.
Thomas hraje tenis každý pátek ve čtvrt na deset.
Silnice směr Calais je dlouhá devět kilometrů.
Kino je otevřené od středy do soboty od 9:15 do 22:15.
Naše teta má telefonní číslo 566 830.
Kino bylo postaveno v roce 1873.
Autobus směr Nantes neodjíždí v půl šesté, ale v osm hodin.
Anna minulý týden skončila na dvanáctém místě.
Hotel otevírá každou sobotu v 9:35.
Moje sestra začíná pracovat v 16:50.
Nina má jednoho koně a 16 jablek.
Dám si pět pizz a jednu polévku.
Anna minulý čtvrtek koupila dvacet knih a 16 klobouků.
Vlak směr Bristol odjíždí v půl dvanácté z nástupiště tři.
Počasí ve městě Malmö bude 22. prosince slunečné.
Autobus směr Rostock neodjíždí ve 13:05, ale v 18:50.
Potřebujeme dvacet devět časopisů.
Dvě jízdenky do města Leeds stojí devět korun.
V únoru jede Nora na čtyři roky do města Oxford.
Teplota ve městě Lyon je minus jedenáct stupňů.
Noční vlak směr Kiel neodjíždí v deset hodin, ale v jedenáct hodin.
Nora pracuje v pátém patře.
Náš syn se narodil druhého března 2020.
Čtyřicet plus sedm je čtyřicet sedm.
Eva slaví narozeniny šestnáctého srpna.
Končí výlet ve 20:50?
Naše sestra loni vyhrála zápas pět čtyři.
Clara se narodila dvacátého osmého listopadu 1985.
Košile stojí třicet čtyři eur.
Restaurace je otevřená od čtvrtka do pátku od 7:45 do 16:15.
Počasí ve městě Ulm bude v úterý večer slunečné.
Koncert se koná v úterý večer v místnosti sedmnáct.
V červnu jede Clara na dva dny do města Porto.
David má telefonní číslo 730 881.
Osm lžic a 23 šálků stojí dohromady devadesát tři franků.
Viktor hraje fotbal každé úterý ve tři čtvrtě na sedm.
Modrá květina stojí 1300 dolarů.
Sedm krát devět je šedesát tři.
V muzeu je pět dětí.
Oslava začíná za padesát tři minut.
Moje dcera slaví v pátek třicáté sedmé narozeniny.
Teplota ve městě Malmö je 12 stupňů.
Jedna kniha a dvacet vajec stojí dohromady osm korun.
Výlet trvá dva dny.
Potřebujeme 29 nožů.
Dvacet pět jízdenek do města Kiel stojí 12,45 koruny.
Náš dědeček minulý měsíc skončil na patnáctém místě.
Třicet pět košil a dvě pohlednice stojí dohromady dvanáct franků.
Let 968 směr Cardiff přistává ve tři čtvrtě na devět.
12 lžic a dvacet tři květin stojí dohromady 10 franků.
Zkouška je sedmnáctého května v půl dvanácté.
Max zůstane dva týdny ve městě Rostock.
Ida čte desátou kapitolu.
Potřebujeme osm set gramů rýže a 11 litrů oleje.
Simon minulý týden skončil na prvním místě.
Sara minulý čtvrtek vyhrála zápas čtyři jedna.
Porada trvá osm dní.
Simon hraje tenis každý pátek v devět hodin.
Porada začíná za třináct minut.
Láhev stojí dva tisíce dvě stě eur.
Kolik stojí osm tužek?
Ida se narodila dvacátého srpna 1998.
Garáž stojí 1550 eur za den.
Dám si jeden dort a šest polévek.
Julia čte třetí kapitolu.
Zkouška začíná v neděli 5. března ve čtvrt na deset.
Oslava je třináctého května v 17:55.
Devět jízdenek do města Malmö stojí dvě koruny.
Snídám ve 12:30.
Noční vlak směr Calais má čtyřicet šest minut zpoždění.
Svatba začíná za tři týdny.
V knihovně je pět hostů.
Moje sestra slaví narozeniny dvacátého osmého března.
Zámek je v sobotu zavřený.
Moje dcera přichází domů ve tři čtvrtě na tři.
Můj bratr se narodil dvacátého devátého září 2022.
Náš strýc loni skončil na osmnáctém místě.
Můj dědeček slaví třináctého dubna osmé narozeniny.
Divadlo bylo postaveno v roce 1969.
Laura se narodila devátého června tisíc devět set šedesát čtyři.
Lea má schůzku zítra ve čtvrt na sedm.
Kód ke sklepu je sedm dva osm čtyři.
Moje babička slaví 10. května čtyřicáté sedmé narozeniny.
Lea slaví v pondělí dvacáté šesté narozeniny.
Thomas zůstane devět dní ve městě Ulm.
Zahrada má 18 stromů.
Norbert minulou středu koupil jeden citron a jednu lampu.
Banka je ve čtvrtek večer zavřená.
Kavárna je otevřená od soboty do neděle od 9:45 do 19:45.
Film začíná za tři týdny.
Julia loni vyhrála zápas osm tři.
Kód k sejfu je jedna čtyři šest.
Na stole leží 17 knih.
Můj syn minulý pátek koupil šest míčů a třicet šest vajec.
Dvě jízdenky do města Rostock stojí deset korun.
Škola je otevřená od pondělí do úterý od 8:30 do 14:45.
Mapa je na straně 70.
Dám si jednu polévku a čtyři pizzy.
Laura má jedenáct koček a devět citronů.
Nádraží bylo postaveno v roce 1933.
Trh je otevřený od čtvrtka do neděle od 9:15 do 15:45.
Dvacet sedm plus šest je třicet tři.
Viktor slaví v pondělí čtyřicáté první narozeniny.
Viktor kupuje třicet čtyři košil za sedm set eur.
Představení začíná v sobotu šestnáctého února ve 13:25.
Kolik stojí 10 lžic?
Nina minulé pondělí koupila dvě jablka a čtyři knihy.
Zápas začíná v sobotu prvního července ve tři čtvrtě na jedenáct.
Potřebujeme šest set gramů másla a 11 litrů vína.
Počasí ve městě Nantes bude třetího dubna oblačné.
Let pět set šedesát dva směr Kiel přistává v jedenáct hodin.
Viktor bydlí v Zámecké ulici 115.
V říjnu jede David na jeden den do města Rostock.
Ve škole je osmnáct studentů.
Sejdeme se ve čtvrtek v 18:30 v kavárně.
Adresa je na straně pět.
12 jízdenek do města Bonn stojí 30,55 koruny.
Moje teta slaví ve středu první narozeniny.
Ida slaví ve čtvrtek dvacáté deváté narozeniny.
Vlak směr Porto odjíždí v půl páté z nástupiště 4.
Teplota ve městě Bonn je devět stupňů.
Časopisy stojí ve čtvrtek ráno o čtyřicet procent méně.
Sejdeme se v pondělí ve čtyři hodiny dvacet minut v muzeu.
Film se koná v sobotu ráno v místnosti 7.
Můj bratr má schůzku 11. září ve čtvrt na dvě.
Robert včera koupil dvě knihy a šest brambor.
Počasí ve městě Nantes bude v neděli deštivé.
V restauraci je 14 turistů.
Muzeum je otevřené od čtvrtka do pátku od 9:30 do 17:45.
Sejdeme se v neděli ve 12:05 na nádraží.
Potřebujeme sto padesát gramů cukru a jedenáct litrů vody.
Člun stojí dvacet osm eur za týden.
Thomas se narodil 16. března 2014.
Na trhu je 58 studentů.
Teplota ve městě Dortmund je 18 stupňů.
Teplota ve městě Leeds je patnáct stupňů.
Škola byla postavena v roce 1674.
Naše sestra loni vyhrála zápas osm pět.
Koncert začíná ve středu dvacátého devátého listopadu ve čtvrt na sedm.
Svatba se koná zítra v místnosti dva.
Sara se narodila 27. srpna tisíc devět set osmdesát šest.
Můj strýc zůstane tři týdny ve městě Oslo.
Jedenáct nožů a dvanáct časopisů stojí dohromady dvě stě franků.
Teplota ve městě Nantes je sedm stupňů.
Výlet trvá čtyři týdny.
Svatba se koná v pátek odpoledne v místnosti 82.
Radnice byla postavena v roce tisíc sedm set čtyřicet šest.
Noční vlak směr Kiel neodjíždí ve tři čtvrtě na deset, ale v 8:45.
Byt stojí 21,60 koruny za den.
Šedé kolo váží čtyřicet čtyři kilogramů.
Zámek je otevřený od pátku do neděle od 10:30 do 17:00.
Kód ke kufru je čtyři sedm dva.
Divadlo má devadesát osm míst.
Lea pracuje ve třetím patře.
Nora má telefonní číslo 237 623.
Knihovna má dvacet čtyři knih.
Počasí ve městě Dublin bude v pondělí ráno oblačné.
Náš dědeček hraje fotbal každou neděli ve 22:15.
Autobus směr Dortmund odjíždí v deset hodin padesát pět minut z nástupiště šest.
Sejdeme se zítra ve čtvrt na deset v bance.
Silnice směr Oslo je dlouhá čtyři sta kilometrů.
Let 618 směr Ulm přistává ve 12:00.
Naše babička loni skončila na šestém místě.
Zahrada má 67 stromů.
Tramvaj směr Bristol odjíždí ve čtyři hodiny třicet pět minut z nástupiště 16.
Seznam je na straně tři sta padesát pět.
Tramvaj směr Oxford neodjíždí ve 21:20, ale v sedm hodin.
Kavárna je 29. dubna zavřená.
Můj bratr má schůzku zítra ve tři čtvrtě na devět.
Potřebujeme 80 gramů cukru a čtyři litry vína.
Náš strýc má telefonní číslo 333 944.
Hotel je otevřený od úterý do neděle od 8:00 do 22:45.
Koncert začíná ve středu prvního ledna ve tři čtvrtě na devět.
Sejdeme se ve čtvrtek ve 14:00 na trhu.
Končí představení v půl sedmé?
Moje babička slaví zítra osmdesáté páté narozeniny.
Našemu strýci je čtyřicet tři let.
Dám si šest káv a šest pizz.
Hotel má tisíc padesát pokojů.
Tramvaj směr Bristol odjíždí ve 20:35 z nástupiště 10.
Potřebujeme sto gramů sýra a sedm litrů vína.
Kód k telefonu je sedm jedna pět.
Adresa je na straně 29.
Vlak směr Porto má 50 minut zpoždění.
Počasí ve městě Bergen bude zítra teplé.
Kurz začíná za sedm hodin.
V bance jsou čtyři hosté.
Divadlo je ve čtvrtek ráno zavřené.
Sejdeme se 11. září v pět hodin padesát minut na radnici.
Tramvaj směr Dublin má devět minut zpoždění.
Červený obraz stojí čtyři koruny.
Koberec váží 47 kilogramů.
Divadlo je otevřené od pondělí do pátku od 8:15 do 15:00.
Můj otec pracuje ve třináctém patře.
V říjnu jede Nora na jeden rok do města Calais.
Končí přednáška v půl osmé?
Šedý nůž stojí 950 korun.
Kola stojí sedmého dubna o třicet procent méně.
Porada začíná v úterý patnáctého července v jedenáct hodin dvacet pět minut.
Sejdeme se zítra ve tři čtvrtě na pět na trhu.
Kino je otevřené od středy do pátku od 11:00 do 15:30.
Mapa je na straně 7.
Červený časopis stojí devět korun.
Dám si tři dorty a dvě kávy.
38 nožů a jedenáct pohlednic stojí dohromady sedm dolarů.
Naše teta má 10 psů a sedm šálků.
Viktor má telefonní číslo 337 564.
Film se koná v sobotu odpoledne v místnosti dvacet sedm.
Divadlo otevírá každé úterý ve tři čtvrtě na osm.
Moje teta slaví narozeniny dvacátého šestého února.
Radnice byla postavena v roce 1867.
Norbert snídá ve čtyři hodiny.
Kufr váží šest kilogramů.
Laura se narodila sedmého února tisíc devět set sedmdesát čtyři.
Končí výlet ve tři čtvrtě na osm?
Divadlo je otevřené od pondělí do čtvrtka od 7:15 do 15:45.
Daniel slaví narozeniny 23. září.
Silnice směr Calais je dlouhá tři kilometry.
Banka je ve čtvrtek odpoledne zavřená.
Náš otec kupuje šest jablek za 12,95 koruny.
Divadlo je v sobotu odpoledne zavřené.
Láhev stojí jeden dolar.
Končí film v 5:25?
Daniel slaví narozeniny 23. listopadu.
Můj strýc zůstane 17 dní ve městě Oslo.
Potřebujeme devět citronů.
Teplota ve městě York je minus dva stupně.
Dům stojí 34,65 dolaru za měsíc.
Naše sestra minulou neděli skončila na čtvrtém místě.
Tramvaj směr Split má šest minut zpoždění.
Autobus směr Nantes neodjíždí ve čtvrt na sedm, ale v jednu hodinu dvacet minut.
Pět míčů a 35 citronů stojí dohromady šest korun.
Anna minulý čtvrtek koupila deset květin a pět nožů.
Film začíná v sobotu osmnáctého května ve 23:35.
Moje teta slaví jedenáctého října třicáté třetí narozeniny.
Představení začíná v úterý dvacátého druhého května v sedm hodin.
Vlak směr Leeds má devět minut zpoždění.
Potřebujeme dvě stě gramů mouky a dva litry džusu.
Vlak směr Calais neodjíždí ve čtvrt na dvanáct, ale v 16:25.
Julia má 12 koček a jedno vejce.
Zahrada má třicet sedm stromů.
Výlet trvá devět týdnů.
Zkouška se koná v pondělí večer v místnosti 340.
Porada trvá pět minut.
Silnice směr Split je dlouhá sedm kilometrů.
Teplota ve městě Dublin je devět stupňů.
Naše matka večeří ve čtyři hodiny.
Zápas je v úterý v devět hodin.
Košile stojí dva franky.
Zápas trvá čtyři týdny.
Končí film v osm hodin?
Počítač váží 24 kilogramů.
Škola otevírá každou středu ve 13:05.
Adam minulé úterý vyhrál zápas osm tři.
Kód ke kufru je sedm tři tři jedna.
Robert minulý týden skončil na devatenáctém místě.
Končí oslava v jednu hodinu?
Kód ke kufru je tři tři šest jedna.
Banka otevírá každý pátek v pět hodin deset minut.
Hotel má 50 pokojů.
Noční vlak směr Oxford má tři minuty zpoždění.
Simon slaví šestého srpna osmdesáté čtvrté narozeniny.
Vlak směr Cardiff neodjíždí v 11:00, ale ve tři hodiny.
Škola má 24 žáků.
Bílé jablko stojí tři eura.
Přednáška trvá sedm hodin.
Na trhu je 44 žen.
Kurz je zítra ve 12:55.
Náš syn se učí anglicky každé pondělí v deset hodin.
Přednáška začíná za třináct minut.
Potřebujeme sedm set padesát gramů cukru a deset litrů vína.
V květnu jede moje babička na tři roky do města Madrid.
Laura zůstane dvanáct dní ve městě Malmö.
Tramvaj směr Ulm má dvě minuty zpoždění.
Recept je na straně 99.
V restauraci je 12 turistů.
V kavárně je 55 žen.
Můj dědeček čte dvacátou šestou kapitolu.
Autobus směr Dortmund má sedm minut zpoždění.
Potřebujeme devět květin.
Můj bratr má telefonní číslo 374 714.
Bílý kufr váží třicet osm kilogramů.
Sejdeme se devatenáctého února ve 13:40 v divadle.
Zámek je 7. července zavřený.
Na podlaze leží tři klobouky.
Koncert začíná v úterý osmého června v půl třetí.
Oliver má telefonní číslo 395 803.
Nina zůstane čtrnáct dní ve městě Dublin.
Teplota ve městě Bergen je šest stupňů.
Koncert je zítra v devět hodin.
Moje teta minulý týden vyhrála zápas pět jedna.
Zápas je v pondělí ve 13:05.
Emma má schůzku v úterý ve čtvrt na deset.
Moje teta má schůzku dnes v devět hodin.
Simon čte čtrnáctou kapitolu.
Byt stojí dvacet tři eur za den.
Byt stojí 27 korun za týden.
Leo minulý měsíc skončil na čtvrtém místě.
Potřebujeme 300 gramů másla a pět litrů oleje.
Kurz je dvacátého šestého dubna v sedm hodin.
Divadlo otevírá každou neděli ve tři čtvrtě na tři.
Báseň je na straně čtyřicet osm.
Vlak směr Malmö neodjíždí v 8:10, ale ve tři čtvrtě na šest.
Moje teta má deset ptáků a osmnáct květin.
Náš syn slaví 24. června devadesáté osmé narozeniny.
Šedá květina stojí sedm dolarů.
Můj bratr slaví druhého září patnácté narozeniny.
Náš syn se narodil devatenáctého listopadu tisíc devět set šedesát dva.
Počasí ve městě Split bude v neděli ráno příjemné.
Emma obědvá ve tři čtvrtě na čtyři.
Kurz začíná v sobotu devatenáctého července v půl páté.
Potřebujeme šest set gramů sýra a dva litry mléka.
Viktor bydlí v Zahradní ulici 34.
Dvacet tři jízdenek do města Cardiff stojí dva tisíce osm set padesát eur.
Dům stojí 35,15 eura za den.
David slaví dnes osmdesáté první narozeniny.
Daniel minulou středu vyhrál zápas tři jedna.
Dám si dvě kávy a dva čaje.
Báseň je na straně 181.
Lžíce stojí jedno euro.
Na stole leží devatenáct jablek.
Divadlo má 90 míst.
Potřebujeme osm košil.
Naše dcera slaví narozeniny třináctého ledna.
Vlak směr Dublin neodjíždí ve tři hodiny, ale v 6:10.
V knihovně je pět dětí.
Knihovna je otevřená od středy do soboty od 8:15 do 20:00.
Autobus směr Kiel odjíždí v osm hodin z nástupiště šestnáct.
Oliver slaví narozeniny dvacátého sedmého ledna.
Daniel slaví narozeniny 2. února.
Radnice je otevřená od středy do soboty od 11:00 do 17:30.
Počasí ve městě Leeds bude v pátek ráno příjemné.
Knihovna má tisíc knih.
Na židli leží osm klobouků.
Daniel hraje tenis každý čtvrtek ve tři čtvrtě na sedm.
Sara zůstane tři dny ve městě Nantes.
Let osm set šest směr Dortmund přistává v pět hodin.
Zámek otevírá každou středu v deset hodin deset minut.
Pokoj stojí dvacet pět franků za den.
Kavárna byla postavena v roce tisíc sedm set čtyřicet pět.
Šálky stojí v pátek večer o deset procent méně.
Vlak směr Cardiff neodjíždí v půl páté, ale v 16:00.
Robert má 11 psů a 17 lahví.
David večeří v 6:25.
David má telefonní číslo 770 601.
Našemu otci je 70 let.
Končí zkouška ve dvě hodiny?
Maria bydlí v Školní ulici 7.
Kolo stojí 40 dolarů za den.
Potřebujeme šest tužek.
Naše sestra minulý měsíc vyhrála zápas sedm pět.
Vlak směr Leeds neodjíždí v osm hodin, ale v sedm hodin padesát pět minut.
Autobus směr Bergen má padesát šest minut zpoždění.
V únoru jede můj strýc na jedenáct měsíců do města Nantes.
Banka je otevřená od čtvrtka do pátku od 6:00 do 23:30.
Vlak směr Bergen má šest minut zpoždění.
Počasí ve městě Oslo bude druhého července větrné.
Sejdeme se 3. prosince ve tři čtvrtě na šest na zámku.
Noční vlak směr Nantes neodjíždí ve 21:50, ale ve čtvrt na dvě.
Martin bydlí v Kostelní ulici 74.
Anna kupuje třicet devět košil za 49 eur.
Potřebujeme třicet sedm klobouků.
Teplota ve městě Lyon je dva stupně.
Potřebujeme 39 časopisů.
V knihovně je pět turistů.
Dům stojí 45 dolarů za týden.
V košíku leží jedenáct tužek.
Tunel je dlouhý třicet devět metrů.
V divadle je 15 hostů.
David bydlí v Mlýnské ulici 18.
Můj dědeček snídá v deset hodin dvacet pět minut.
Restaurace byla postavena v roce 1719.
Nora kupuje pět klíčů za šedesát osm eur.
Vlak směr Bergen má třicet sedm minut zpoždění.
Dám si čtyři saláty a dvě pizzy.
Emma slaví v sobotu třicáté první narozeniny.
Počasí ve městě Kiel bude v pátek ráno mlhavé.
Výlet začíná v úterý dvanáctého května ve 22:25.
Bílý klobouk stojí 23,10 dolaru.
Černý kabát stojí třicet čtyři eur.
Našemu otci je čtyřicet tři let.
Přicházíme domů v půl šesté.
Náš otec slaví narozeniny 2. listopadu.
Věž je vysoká sedm metrů.
Potřebujeme dvanáct pohlednic.
Sedm citronů a devatenáct šálků stojí dohromady devět dolarů.
Naše teta minulý měsíc koupila sedmnáct pohlednic a dvacet šest tužek.
Oslava začíná ve středu 2. září v deset hodin čtyřicet minut.
Člun stojí dva tisíce osm set padesát korun za měsíc.
Koberec váží šest kilogramů.
Anna vstává ve tři čtvrtě na jedenáct.
Náš strýc má schůzku dnes v půl desáté.
Potřebujeme šest set gramů cukru a devět litrů mléka.
Vlak směr Split má čtyřicet osm minut zpoždění.
Moje teta minulé pondělí koupila 24 šálků a 20 lahví.
Let 993 směr Kiel přistává v půl jedenácté.
Daniel minulý pátek vyhrál zápas šest pět.
Vlak směr Madrid neodjíždí v jednu hodinu, ale v půl jedenácté.
Kód k telefonu je dva tři nula.
Náš strýc minulý čtvrtek vyhrál zápas pět dva.
Noční vlak směr Bonn neodjíždí v jedenáct hodin, ale ve tři čtvrtě na osm.
Potřebujeme třináct květin.
Počasí ve městě Ulm bude v neděli ráno příjemné.
Julia má dvanáct ovcí a devatenáct knih.
Kino otevírá každou sobotu v šest hodin.
Zápas trvá šestnáct minut.
Martin minulý měsíc koupil třicet čtyři brambor a dvacet pět klíčů.
Viktor zůstane jeden den ve městě Malmö.
Eva se narodila desátého června tisíc devět set osmdesát šest.
Našemu bratrovi je pět let.
Nina má pět psů a 10 lahví.
Potřebujeme osmdesát gramů cukru a čtyři litry vína.
Robert minulý pátek skončil na šestém místě.
Časopisy stojí v sobotu ráno o padesát procent méně.
Sejdeme se ve čtvrtek v jednu hodinu dvacet minut v kině.
Moje sestra hraje šachy každou středu v půl deváté.
Vlak směr Porto neodjíždí ve tři čtvrtě na sedm, ale ve čtvrt na čtyři.
Pod postelí leží 18 košil.
Třicet dva minus devět je dvacet tři.
Kufr váží osm kilogramů.
Dám si jednu polévku a dvě pizzy.
Let pět set dva směr Madrid přistává ve dvě hodiny.
Bílá láhev stojí 22,65 dolaru.
Muzeum otevírá každou neděli v 17:25.
V muzeu je osm hostů.
Kolo stojí 250 eur.
Muzeum bylo postaveno v roce 1678.
Výlet je zítra v osm hodin dvacet minut.
Náš strýc pracuje v prvním patře.
Dám si pět polévek a šest piv.
Stůl váží 47 kilogramů.
Naše matka loni koupila deset košil a čtyři brambory.
Náš bratr minulý měsíc vyhrál zápas šest pět.
Nina plave každou středu v jedenáct hodin čtyřicet minut.
Šest plus dvacet dva je dvacet osm.
Thomas včera skončil na třetím místě.
Potřebujeme čtyři sta gramů sýra a deset litrů džusu.
Zápas začíná v neděli devátého května v jedenáct hodin čtyřicet minut.
Třicet pět míčů a dvacet devět citronů stojí dohromady osm eur.
Adam čte třicátou čtvrtou kapitolu.
Řeka je široká dva metry.
Ida bydlí v Tržní ulici 41.
Teplota ve městě Oslo je 17 stupňů.
Sejdeme se dnes ve 13:50 v kině.
Hotel je čtrnáctého února zavřený.
Nora slaví narozeniny 21. června.
Kód ke dveřím je jedna nula nula devět.
36 časopisů a jedna lampa stojí dohromady 13 franků.
Nádraží je otevřené od úterý do čtvrtka od 9:30 do 17:45.
Recept je na straně 127.
Simon čte jedenáctou kapitolu.
Sejdeme se v neděli ve tři čtvrtě na čtyři v hotelu.
Zámek je otevřený od úterý do neděle od 11:45 do 17:15.
Max pracuje v osmém patře.
Třicet jízdenek do města Bristol stojí dvě koruny.
V muzeu jsou dva lékaři.
Let čtyři sta třicet devět směr Split přistává v půl druhé.
Dům stojí sedmdesát tři eur za týden.
Hotel má osmdesát čtyři pokojů.
Výlet začíná za tři hodiny.
Počasí ve městě Porto bude dnes deštivé.
Potřebujeme 38 tužek.
Můj otec čte sedmou kapitolu.
Odpověď je na straně dvě stě dvacet pět.
Restaurace je 24. července zavřená.
Kino otevírá každý pátek v devět hodin.
Moje matka minulý čtvrtek skončila na jedenáctém místě.
Trh byl postaven v roce 1768.
Dám si dva čaje a pět piv.
Dám si tři pizzy a čtyři saláty.
Třicet tři květin a 14 klobouků stojí dohromady 32,90 franku.
Báseň je na straně 2.
Moje babička čte dvacátou třetí kapitolu.
Vejce stojí v sobotu odpoledne o padesát pět procent méně.
David slaví narozeniny šestého dubna.
Let sto sedmdesát pět směr Porto přistává ve tři čtvrtě na sedm.
Viktor hraje šachy každé pondělí ve 14:00.
Výlet se koná dvanáctého září v místnosti osmdesát osm.
Auto stojí čtyři sta eur za den.
Osm citronů a třicet pět klíčů stojí dohromady osm dolarů.
Báseň je na straně sto dvacet čtyři.
Vesnice má 2750 obyvatel.
Norbert kupuje dvacet sedm šálků za 27 dolarů.
Let 777 směr Turku přistává v šest hodin.
Moje dcera má devět ovcí a jedenáct jablek.
Autobus směr Calais má sedm minut zpoždění.
Tramvaj směr Bordeaux odjíždí v osm hodin padesát minut z nástupiště osmnáct.
Ida čte třicátou devátou kapitolu.
Představení se koná dnes v místnosti čtyřicet devět.
Eva se narodila 28. prosince tisíc devět set devadesát devět.
Zápas trvá devět týdnů.
Devět citronů a osm květin stojí dohromady 13,75 dolaru.
Garáž stojí 28,95 franku za týden.
Svatba je ve středu v 18:30.
Ida se narodila 15. ledna tisíc devět set devadesát šest.
Auto stojí 20 dolarů za měsíc.
Můj strýc hraje na klavír každou sobotu v půl osmé.
Svatba začíná za dvanáct dní.
Thomas čte třicátou devátou kapitolu.
Emma minulé úterý vyhrála zápas osm čtyři.
Naše matka čte čtrnáctou kapitolu.
Lžíce stojí tisíc sedm set padesát korun.
Lea se narodila sedmnáctého září 2012.
Na stole leží dvacet tři klobouků.
Končí představení v půl jedenácté?
Norbert se narodil 1. září 2018.
Naše dcera bydlí v Mostní ulici 21.
Julia má telefonní číslo 543 544.
Kód ke kufru je sedm osm sedm.
Moje matka minulý měsíc koupila tři lžíce a 17 květin.
Loď je dlouhá čtyřicet pět metrů.
Mému strýci je čtyřicet devět let.
V červnu jede můj strýc na jeden týden do města Turku.
Výlet trvá jedenáct dní.
Banka je otevřená od pondělí do pátku od 7:30 do 16:00.
Kód ke kufru je osm dva nula.
Představení je čtrnáctého února ve čtvrt na dvanáct.
Silnice směr Bristol je dlouhá sedmdesát kilometrů.
Moje teta čte třicátou první kapitolu.
Nádraží otevírá každou sobotu v šest hodin.
Potřebujeme třicet tři lžic.
10 jízdenek do města Bergen stojí dva franky.
Dvacet tři jízdenek do města Leeds stojí devadesát sedm franků.
V únoru jede náš dědeček na devět týdnů do města Bergen.
Potřebujeme 11 pohlednic.
Můj dědeček kupuje 24 citronů za 9,50 franku.
Anna hraje šachy každý pátek v 9:35.
Oslava začíná za osm minut.
Muzeum bylo postaveno v roce tisíc devět set devadesát čtyři.
Moje babička loni skončila na pátém místě.
Náš otec loni skončil na devatenáctém místě.
Let 184 směr Bristol přistává ve tři čtvrtě na deset.
Zeď je vysoká 95 metrů.
Náš bratr hraje fotbal každou neděli v šest hodin.
Moje teta bydlí v Květinové ulici 30.
Max hraje tenis každé úterý ve tři čtvrtě na pět.
Let 980 směr Turku přistává ve tři čtvrtě na pět.
Brambory stojí v pátek odpoledne o patnáct procent méně.
Robert zůstane devět dní ve městě York.
Thomas slaví v neděli sedmdesáté narozeniny.
Oslava je zítra v 15:40.
Teplota ve městě Rostock je tři stupně.
Autobus směr Bonn má deset minut zpoždění.
Ida se narodila šestého ledna tisíc devět set devadesát jedna.
Thomas má telefonní číslo 610 375.
Můj otec bydlí v Zahradní ulici 20.
Ulice má 17 domů.
Moje dcera loni koupila šestnáct košil a čtyřicet knih.
Věž je vysoká 93 metrů.
Silnice směr Ulm je dlouhá tři sta padesát kilometrů.
Silnice směr Oslo je dlouhá 55 kilometrů.
Sejdeme se zítra v jedenáct hodin v divadle.
Výlet je v pátek ve 21:10.
V listopadu jede Robert na dva dny do města Kiel.
Max včera koupil čtyři časopisy a devět lžic.
Most je dlouhý dva metry.
Dvacet jízdenek do města Dortmund stojí 450 dolarů.
Potřebujeme jedenáct brambor.
Eva loni vyhrála zápas šest dva.
Vejce stojí dnes o dvacet procent méně.
Nina slaví narozeniny dvacátého čtvrtého srpna.
Viktor minulý měsíc vyhrál zápas osm tři.
Náš syn má telefonní číslo 696 434.
Autobus směr Malmö neodjíždí ve tři hodiny, ale ve čtvrt na devět.
Na trhu je třicet čtyři mužů.
Přednáška se koná v úterý večer v místnosti sto dvanáct.
Film se koná 19. dubna v místnosti deset.
Náš syn slaví dvacátého sedmého června devadesáté druhé narozeniny.
Robert zůstane jedenáct let ve městě Calais.
Porada začíná za pět minut.
Oliver má čtyři kočky a deset tužek.
Norbert hraje na klavír každé pondělí v 16:30.
Časopisy stojí prvního října o patnáct procent méně.
Naše teta pracuje v jedenáctém patře.
Kolik stojí pět míčů?
Martin minulý měsíc vyhrál zápas sedm pět.
Martin včera koupil dvě pohlednice a dvanáct vajec.
Počasí ve městě Oslo bude v pondělí bouřlivé.
Moje sestra má schůzku pátého července ve tři čtvrtě na tři.
Teplota ve městě Ulm je minus pět stupňů.
Deset jízdenek do města Nantes stojí čtyřicet šest franků.
Potřebujeme pět set gramů cukru a jedenáct litrů džusu.
Moje babička slaví narozeniny dvacátého osmého ledna.
Dám si dvě pizzy a pět polévek.
Zápas se koná ve čtvrtek v místnosti devět.
Dvě košile a čtrnáct šálků stojí dohromady 70 franků.
Martin slaví narozeniny 11. dubna.
Potřebujeme osm set gramů másla a deset litrů džusu.
Radnice byla postavena v roce tisíc sedm set dvacet dva.
Vlak směr Rostock neodjíždí ve čtyři hodiny, ale v půl druhé.
Tramvaj směr Calais má 47 minut zpoždění.
V srpnu jede Martin na šest týdnů do města Dortmund.
Martin kupuje čtyřicet brambor za dva tisíce tři sta padesát franků.
Fotografie je na straně patnáct.
Kolik stojí 14 tužek?
Daniel loni skončil na desátém místě.
Sejdeme se v sobotu ve dvě hodiny na trhu.
V košíku leží 38 pohlednic.
Výlet se koná v sobotu odpoledne v místnosti 4.
Moje teta má jednu ovci a 24 nožů.
Brambora stojí 94 dolarů.
Dvanáct jízdenek do města York stojí pět franků.
Simon včera skončil na sedmnáctém místě.
Potřebujeme tři sta padesát gramů másla a tři litry oleje.
Kurz začíná v sobotu třicátého ledna ve čtvrt na jedenáct.
Potřebujeme pět set gramů cukru a deset litrů oleje.
Robert má schůzku 13. února ve čtyři hodiny.
Film trvá sedm hodin.
Odpověď je na straně dva.
Končí přednáška ve čtvrt na tři?
Potřebujeme šest set gramů másla a čtyři litry džusu.
Na radnici je 34 hostů.
Čtyřicet šest minus dvacet pět je dvacet jedna.
Simon zůstane sedm dní ve městě Madrid.
Vlak směr Bergen má dvanáct minut zpoždění.
Kufr váží třicet tři kilogramů.
Park otevírá každou sobotu v deset hodin.
Adam pracuje ve čtvrtém patře.
Končí představení ve 20:15?
Oslava trvá osm minut.
Počasí ve městě Oxford bude zítra větrné.
Let dvě stě čtyřicet tři směr Madrid přistává v jednu hodinu.
Dám si dvě polévky a tři dorty.
Sejdeme se osmnáctého prosince ve tři čtvrtě na osm v hotelu.
Naše sestra minulý pátek vyhrála zápas tři dva.
Pod postelí leží čtyři košile.
Let 917 směr Rostock přistává ve čtyři hodiny.
Daniel včera vyhrál zápas osm dva.
V restauraci je šestnáct dětí.
Potřebujeme dvacet devět tužek.
Norbert vstává ve 21:40.
Kód ke sklepu je nula dva jedna osm.
Kolik stojí 19 klíčů?
Autobus směr Oslo má čtyřicet devět minut zpoždění.
Můj bratr se narodil 17. ledna dva tisíce dvanáct.
Leo kupuje sedmnáct šálků za osmdesát devět korun.
Martin bydlí v Kostelní ulici 78.
V únoru jede Thomas na deset měsíců do města Malmö.
Julia vaří každou neděli v jednu hodinu.
Brambory stojí třetího března o padesát procent méně.
Autobus směr Split má jedenáct minut zpoždění.
Oliver má schůzku 10. ledna ve tři čtvrtě na jedenáct.
Potřebujeme třicet sedm míčů.
Dvě jízdenky do města Ulm stojí tisíc sedm set korun.
Báseň je na straně dvacet čtyři.
Sara zůstane jeden rok ve městě Bordeaux.
Přicházíme domů v jedenáct hodin dvacet pět minut.
Červená lampa stojí jedenáct eur.
Autobus směr Dublin má padesát šest minut zpoždění.
Končí zkouška v deset hodin?
Moje matka má schůzku desátého března v jedenáct hodin.
Pět jízdenek do města Split stojí 10,50 koruny.
Potřebujeme třicet osm šálků.
Nora se narodila sedmnáctého června 1971.
Potřebujeme osm set gramů sýra a 10 litrů vody.
Kód ke dveřím je osm dva devět.
Potřebujeme čtyři klíče.
Kód k telefonu je šest tři nula čtyři.
Osmnáct jízdenek do města Oslo stojí 89 franků.
Osm jízdenek do města Bonn stojí dvě koruny.
Výlet trvá dvacet čtyři minut.
Autobus směr Oxford neodjíždí v šest hodin čtyřicet minut, ale v 6:25.
Potřebujeme 12 knih.
Kód ke kufru je pět nula sedm nula.
Náš dědeček hraje tenis každý čtvrtek v 19:45.
Koncert se koná 15. listopadu v místnosti 13.
Julia čte třicátou osmou kapitolu.
Nádraží je 7. července zavřené.
Dám si jednu pizzu a jednu kávu.
Porada je 4. prosince v půl sedmé.
Teplota ve městě Split je 24 stupňů.
Tramvaj směr Calais má padesát tři minut zpoždění.
Můj strýc kupuje osm citronů za sedm franků.
Zkouška začíná v neděli 14. listopadu ve 22:15.
Lea minulý týden vyhrála zápas šest pět.
Nina má schůzku v pondělí ve tři čtvrtě na čtyři.
Vstáváme v 9:20.
Banka byla postavena v roce tisíc šest set šestnáct.
Zkouška trvá jeden týden.
Končí film v deset hodin?
Můj bratr včera vyhrál zápas šest pět.
Vejce stojí v sobotu o šedesát pět procent méně.
Moje matka hraje fotbal každou neděli v pět hodin.
Maria zůstane jeden měsíc ve městě Bristol.
Dám si dvě kávy a tři polévky.
Vlak směr Bergen neodjíždí v 9:10, ale ve tři čtvrtě na dvě.
Výlet začíná v neděli 16. června v osm hodin.
Eva slaví dnes třetí narozeniny.
Maria minulý čtvrtek koupila dva klíče a deset košil.
Autobus směr Split má 46 minut zpoždění.
Svatba se koná v neděli v místnosti 10.
Julia se narodila 1. února tisíc devět set sedmdesát jedna.
Bílý kabát stojí 20,85 franku.
Maria čte třicátou první kapitolu.
Padesát tři minus šestnáct je třicet sedm.
Let 630 směr Porto přistává ve čtvrt na pět.
Můj dědeček minulý měsíc koupil 25 knih a dvacet šest vajec.
Noční vlak směr Malmö má čtyřicet minut zpoždění.
Naše babička má 11 koček a dvanáct tužek.
Tramvaj směr Madrid odjíždí v sedm hodin z nástupiště 16.
Dám si šest dortů a čtyři kávy.
Adam má schůzku jedenáctého července ve čtvrt na deset.
Sedm šálků a 34 nožů stojí dohromady dva dolary.
Naše teta pracuje v prvním patře.
V listopadu jede Lea na tři týdny do města Rostock.
Trh je sedmého listopadu zavřený.
Potřebujeme 800 gramů mouky a dva litry vody.
Končí svatba v půl šesté?
Zápas začíná v pátek desátého června v 10:55.
Koberce stojí dnes o třicet pět procent méně.
Tramvaj směr Ulm neodjíždí ve 12:20, ale ve tři čtvrtě na jedenáct.
Škola má 1200 žáků.
Kolik stojí osmnáct lamp?
Dům stojí osmdesát šest franků za týden.
Maria má telefonní číslo 665 624.
Výlet se koná dnes v místnosti čtyřicet jedna.
V květnu jede můj otec na dva měsíce do města Porto.
Dám si čtyři dorty a čtyři saláty.
Na radnici je 60 mužů.
Pod postelí leží šest klíčů.
V červenci jede můj bratr na šest dní do města Bergen.
David kupuje sedmnáct nožů za osm korun.
Koberec váží dvanáct kilogramů.
Obědvám v jednu hodinu.
Nádraží je otevřené od úterý do soboty od 10:45 do 17:15.
