Nina má schůzku v sobotu v 10:45.
Autobus směr Kiel neodjíždí v 11:40, ale v osm hodin.
Tři květiny a čtyři nože stojí dohromady 20,75 dolaru.
Ulice má dvacet tři domů.
V únoru jede naše dcera na čtyři dny do města Oslo.
Kód ke sklepu je pět osm šest devět.
Koncert trvá osm hodin.
Ida slaví dvacátého čtvrtého prosince dvacáté třetí narozeniny.
Nina bydlí v Květinové ulici 63.
Končí zkouška v pět hodin?
Teplota ve městě Oslo je 13 stupňů.
V listopadu jede moje dcera na devět let do města York.
Muzeum je otevřené od pátku do neděle od 8:30 do 16:15.
Počítače stojí v neděli odpoledne o dvacet procent méně.
V červnu jede naše sestra na jeden měsíc do města Dortmund.
Večeříme ve tři čtvrtě na devět.
Noční vlak směr Leeds neodjíždí ve 23:35, ale v 18:30.
Naše babička slaví narozeniny 28. května.
Adam minulou neděli skončil na druhém místě.
Maria minulou středu koupila pět lahví a tři vejce.
Náš strýc má schůzku 13. března v 19:05.
Moje teta kupuje devět lžic za 10 korun.
Teplota ve městě Cardiff je minus třináct stupňů.
Tramvaj směr Dublin má šest minut zpoždění.
Na podlaze leží čtyři časopisy.
Kino je otevřené od čtvrtka do neděle od 10:30 do 21:00.
V říjnu jede naše matka na dva roky do města Ulm.
Sejdeme se 27. března v 11:45 na trhu.
Adresa je na straně 5.
Devatenáct košil a dvě lampy stojí dohromady 88 korun.
Maria kupuje čtyři citrony za 2350 korun.
Moje matka pracuje v desátém patře.
Naší matce je šedesát osm let.
Kód k sejfu je devět jedna osm šest.
Kurz trvá 11 dní.
Dům stojí dvacet osm eur za den.
Dvě tužky a čtyři klíče stojí dohromady dvacet osm korun.
Kolik stojí třicet sedm květin?
Autobus směr Rostock má osm minut zpoždění.
Kino je otevřené od čtvrtka do pátku od 9:15 do 15:15.
Trh je otevřený od pátku do soboty od 9:30 do 16:30.
Divadlo otevírá každou středu ve tři čtvrtě na čtyři.
Hotel otevírá každou sobotu ve čtyři hodiny.
Počasí ve městě Leeds bude v sobotu větrné.
V parku je deset mužů.
15 jízdenek do města Madrid stojí 77 eur.
Dám si dvě piva a pět salátů.
Potřebujeme šest set gramů másla a sedm litrů džusu.
Knihovna byla postavena v roce tisíc osm set dvacet.
Oslava začíná v pátek 4. července v šest hodin.
Výlet se koná v pátek odpoledne v místnosti dvacet tři.
Potřebujeme 800 gramů másla a tři litry džusu.
Začínáme pracovat v 8:15.
Park je otevřený od úterý do čtvrtka od 6:15 do 18:00.
Kolo stojí sedmdesát sedm eur za den.
Náš dědeček má schůzku zítra v 19:40.
Můj syn čte osmou kapitolu.
Tramvaj směr Oxford odjíždí v sedm hodin čtyřicet minut z nástupiště šestnáct.
Dám si čtyři piva a čtyři čaje.
Lžíce stojí v úterý večer o deset procent méně.
Můj bratr kupuje dvě brambory za třicet osm franků.
Báseň je na straně 392.
Simon má telefonní číslo 211 357.
Potřebujeme 150 gramů mouky a sedm litrů mléka.
Devět jízdenek do města Ulm stojí pět korun.
Max bydlí v Květinové ulici 112.
Zahrada je dlouhá třicet čtyři metrů.
Kino bylo postaveno v roce tisíc šest set osmdesát tři.
Nina zůstane tři měsíce ve městě Porto.
Teplota ve městě York je 18 stupňů.
Tramvaj směr Rostock odjíždí v sedm hodin z nástupiště 19.
Restaurace je sedmnáctého května zavřená.
Obědvám ve čtyři hodiny.
David pracuje v pátém patře.
Seznam je na straně třicet sedm.
Autobus směr Oxford neodjíždí v 8:50, ale ve čtvrt na deset.
Výlet trvá jeden týden.
Silnice směr Bergen je dlouhá tři sta kilometrů.
Tramvaj směr Leeds neodjíždí ve tři čtvrtě na dvě, ale v sedm hodin čtyřicet minut.
Julia má telefonní číslo 513 459.
Odpověď je na straně sedmdesát jedna.
Teplota ve městě Leeds je třináct stupňů.
Tunel je dlouhý dvacet čtyři metrů.
Našemu dědečkovi je šedesát sedm let.
Devět plus devět je osmnáct.
Sara minulý pátek koupila třicet brambor a čtyři míče.
Sedm jízdenek do města Leeds stojí třináct eur.
Dám si šest káv a tři čaje.
Počítače stojí dnes o pět procent méně.
Můj otec kupuje třicet tři lžic za šest korun.
Kino je 13. září zavřené.
Tramvaj směr Calais má třicet minut zpoždění.
Eva slaví narozeniny 29. července.
Park je otevřený od pondělí do úterý od 9:30 do 20:15.
Klíč stojí šest korun.
Moje dcera má telefonní číslo 694 594.
Radnice otevírá každé úterý ve čtvrt na devět.
Začínám pracovat ve čtvrt na pět.
Kolo váží patnáct kilogramů.
Dům stojí 76 franků za týden.
Silnice směr Porto je dlouhá pět set padesát kilometrů.
V dubnu jede Laura na čtyři měsíce do města Split.
Náš strýc se narodil sedmého března 2015.
Na radnici jsou čtyři studenti.
Potřebujeme 450 gramů cukru a tři litry oleje.
Let 632 směr Kiel přistává v půl jedenácté.
Černý kufr stojí 36 dolarů.
Potřebujeme 750 gramů másla a osm litrů mléka.
Robert se narodil dvacátého šestého října 1997.
Na trhu je sedm studentů.
Tramvaj směr Kiel neodjíždí v půl desáté, ale v 18:20.
Zkouška se koná v sobotu večer v místnosti 53.
Zkouška začíná v úterý dvacátého dubna v jedenáct hodin dvacet minut.
Můj dědeček pracuje ve třináctém patře.
Let osm set čtyřicet šest směr Cardiff přistává ve tři čtvrtě na pět.
Řeka je široká 10 metrů.
Náš dědeček kupuje dvě lampy za 27 franků.
Končí výlet ve tři čtvrtě na jedenáct?
Muzeum bylo postaveno v roce 1770.
Garáž stojí dvacet dolarů za týden.
Divadlo je otevřené od pondělí do úterý od 11:00 do 19:00.
V únoru jede Ida na sedm týdnů do města Nantes.
Začínám pracovat ve čtvrt na deset.
Pokoj stojí 24 korun za měsíc.
Dvacet šest jízdenek do města Cardiff stojí 1400 korun.
Míče stojí v sobotu o dvacet pět procent méně.
Představení začíná za čtyři týdny.
Třicet šest citronů a jeden klobouk stojí dohromady dvě stě eur.
Koberec váží padesát kilogramů.
Zámek je ve středu večer zavřený.
Klíče stojí v sobotu odpoledne o pět procent méně.
Končí představení ve čtyři hodiny?
V restauraci je pět turistů.
Sejdeme se šestnáctého listopadu ve tři hodiny ve škole.
Knihovna byla postavena v roce 1857.
Sejdeme se v sobotu ve čtvrt na devět na nádraží.
Tunel je dlouhý 45 metrů.
Adam má telefonní číslo 435 751.
Zámek otevírá každou středu ve čtvrt na šest.
V březnu jede David na dva roky do města Oslo.
Kolik stojí 11 květin?
Sejdeme se ve středu v šest hodin padesát minut v muzeu.
Kód k telefonu je dva sedm čtyři.
Nina bydlí v Mlýnské ulici 59.
Daniel se narodil čtrnáctého března 1969.
Nina čte patnáctou kapitolu.
Tramvaj směr Turku neodjíždí v půl jedenácté, ale v sedm hodin dvacet minut.
Adam minulou středu koupil 25 květin a tři nože.
Řeka je široká osm metrů.
Kavárna byla postavena v roce 1693.
Robert čte jedenáctou kapitolu.
Kavárna otevírá každé úterý ve tři čtvrtě na tři.
Potřebujeme 400 gramů másla a dvanáct litrů mléka.
Zkouška trvá devět dní.
Představení začíná v sobotu dvacátého pátého června v devět hodin deset minut.
Emma loni vyhrála zápas pět tři.
Kabáty stojí pátého března o třicet pět procent méně.
Film začíná za šest dní.
Škola má dvě stě žáků.
V prosinci jede Norbert na šest měsíců do města Nantes.
Vesnice má šedesát čtyři obyvatel.
Zámek je 12. března zavřený.
Dvanáct knih a čtyřicet nožů stojí dohromady devět dolarů.
Dám si tři piva a šest polévek.
Naše sestra má schůzku v pondělí ve čtvrt na dvě.
Kolik stojí šest košil?
Můj strýc minulé pondělí skončil na desátém místě.
Zahrada má 23 stromů.
Výlet se koná v pátek ráno v místnosti třináct.
Kabát váží třicet devět kilogramů.
Loď je dlouhá pět metrů.
Tramvaj směr Cardiff má jedenáct minut zpoždění.
Autobus směr Bergen má devět minut zpoždění.
Auto stojí 15,15 koruny za den.
David má šest ptáků a 34 míčů.
Výlet je zítra ve čtvrt na osm.
Potřebujeme dvě stě padesát gramů cukru a pět litrů oleje.
Nina minulou sobotu vyhrála zápas šest jedna.
Moje babička minulý týden skončila na prvním místě.
Kolik stojí sedmnáct citronů?
Končí svatba ve 13:25?
Hotel byl postaven v roce 1784.
Nina minulé úterý skončila na dvacátém místě.
Daniel minulý čtvrtek skončil na šestnáctém místě.
Daniel má schůzku dvacátého osmého listopadu ve čtvrt na šest.
Můj bratr má schůzku dvacátého prvního října v půl dvanácté.
Přednáška začíná v úterý osmého června v osm hodin deset minut.
Citrony stojí v sobotu o třicet pět procent méně.
Radnice otevírá každé pondělí v devět hodin.
V hotelu je třicet sedm hostů.
Náš otec slaví narozeniny čtrnáctého prosince.
Mému dědečkovi je šedesát sedm let.
Porada je ve středu ve tři čtvrtě na pět.
Kabát stojí sedm eur.
Oslava se koná ve středu ráno v místnosti 7.
V parku je 12 studentů.
Tři jablka a pět pohlednic stojí dohromady dvacet čtyři franků.
Sejdeme se dnes v půl šesté v parku.
Kurz se koná v sobotu večer v místnosti sedmdesát šest.
Potřebujeme třicet tři květin.
