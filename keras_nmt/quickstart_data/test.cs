Kód ke garáži je dva nula devět.
Knihovna má čtyřicet sedm knih.
Vejce stojí v pátek o padesát procent méně.
Náš syn začíná pracovat v osm hodin.
Sara minulý týden koupila 29 časopisů a třináct knih.
Film začíná za třicet minut.
Moje dcera bydlí v Zámecké ulici 30.
Čtyřicet čtyři minus dvacet šest je osmnáct.
Silnice směr Dortmund je dlouhá 50 kilometrů.
Oslava začíná ve čtvrtek druhého září ve čtvrt na pět.
Kurz začíná v pondělí čtrnáctého října ve tři čtvrtě na devět.
Kufr váží 20 kilogramů.
Martin pracuje ve dvanáctém patře.
Laura pracuje v pátém patře.
Robert kupuje pět knih za tisíc sedm set franků.
Noční vlak směr Cardiff má dvacet čtyři minut zpoždění.
Clara má schůzku ve čtvrtek ve 14:10.
Počítač stojí dvanáct franků.
V září jede můj bratr na pět dní do města Dublin.
Leo bydlí v Tržní ulici 118.
Robert loni vyhrál zápas osm pět.
Maria minulý měsíc vyhrála zápas pět dva.
Zápas se koná v neděli odpoledne v místnosti dvacet.
Daniel slaví dnes devadesáté druhé narozeniny.
Max kupuje osm květin za čtyřicet pět dolarů.
Let sto sedmdesát osm směr Bristol přistává v 11:00.
Sejdeme se zítra ve tři čtvrtě na čtyři na trhu.
Strom je vysoký sedmdesát sedm metrů.
V kuchyni leží sedm klíčů.
Náš syn slaví narozeniny dvacátého devátého října.
Zámek byl postaven v roce 1689.
Thomas má schůzku zítra v pět hodin.
Naší tetě je padesát sedm let.
Garáž stojí 950 franků za měsíc.
Emma má telefonní číslo 383 335.
Šálek stojí tři eura.
Strom je vysoký dvacet čtyři metrů.
Kód ke sklepu je dva osm sedm.
Potřebujeme dvě stě gramů sýra a dva litry vína.
Dvacet šest jízdenek do města Turku stojí 37,15 eura.
V košíku leží třináct jablek.
Strom je vysoký šedesát sedm metrů.
Lea zůstane čtyři měsíce ve městě Nantes.
Leo minulý měsíc skončil na osmnáctém místě.
Můj bratr má schůzku patnáctého září v devět hodin padesát minut.
Můj bratr minulou neděli skončil na šestém místě.
Tři jízdenky do města Nantes stojí 56 korun.
Martin vstává ve 13:55.
Červený stůl váží šest kilogramů.
Nina má tři ovce a 16 šálků.
Kód ke kufru je čtyři čtyři sedm čtyři.
Anna minulou neděli skončila na pátém místě.
Dám si šest piv a šest salátů.
Emma čte třicátou šestou kapitolu.
Škola otevírá každou středu ve 20:00.
Max loni skončil na osmnáctém místě.
Žlutá židle váží sedm kilogramů.
Kolik stojí dvacet košil?
Emma minulý měsíc skončila na sedmém místě.
Tunel je dlouhý osmdesát sedm metrů.
Noční vlak směr York odjíždí v jedenáct hodin z nástupiště jedna.
Zahrada má sedmdesát šest stromů.
Potřebujeme deset jablek.
Silnice směr Kiel je dlouhá pět kilometrů.
Počasí ve městě Oslo bude ve čtvrtek mlhavé.
V zásuvce leží 14 časopisů.
Clara slaví třetího srpna devadesáté narozeniny.
Počasí ve městě Rostock bude zítra slunečné.
Kolik stojí dvanáct košil?
Ida včera vyhrála zápas sedm čtyři.
Byt stojí 24,25 dolaru za týden.
Kufry stojí v sobotu ráno o čtyřicet procent méně.
Most je dlouhý čtyřicet devět metrů.
Končí oslava v devět hodin?
V červnu jede Maria na čtyři týdny do města Porto.
Julia má telefonní číslo 792 144.
Hotel je v pondělí ráno zavřený.
Počasí ve městě Madrid bude v sobotu bouřlivé.
Oliver se narodil 29. prosince 1972.
Vlak směr Nantes odjíždí ve 22:00 z nástupiště 13.
Padesát pět plus třicet jedna je osmdesát šest.
Naše sestra zůstane čtyři roky ve městě Malmö.
Lea bydlí v Mostní ulici 22.
Banka byla postavena v roce 1848.
Emma bydlí v Zahradní ulici 69.
Potřebujeme 250 gramů sýra a deset litrů vody.
Vlak směr Ulm má dvě minuty zpoždění.
Muzeum bylo postaveno v roce 1684.
Moje teta se narodila 10. ledna tisíc devět set osmdesát pět.
Představení začíná za dvanáct hodin.
Recept je na straně 233.
Teplota ve městě York je minus dvacet sedm stupňů.
Klobouky stojí v pátek ráno o patnáct procent méně.
Škola byla postavena v roce 1843.
Muzeum bylo postaveno v roce tisíc osm set padesát čtyři.
Končí koncert v 18:20?
Kód ke sklepu je devět pět nula osm.
Muzeum bylo postaveno v roce 1974.
Můj bratr minulé pondělí vyhrál zápas sedm dva.
Thomas hraje tenis každou sobotu v šest hodin.
Silnice směr Oslo je dlouhá jedenáct kilometrů.
Nora včera vyhrála zápas šest pět.
Můj syn minulý týden vyhrál zápas sedm dva.
Naše teta hraje fotbal každý čtvrtek v pět hodin.
Martin má čtyři koně a třicet osm jablek.
Silnice směr Bordeaux je dlouhá sedm set kilometrů.
Přednáška se koná v pátek večer v místnosti 9.
Radnice otevírá každou středu v pět hodin.
Knihovna je otevřená od pátku do soboty od 11:30 do 22:45.
Zelený kufr stojí 6,25 eura.
Počasí ve městě Malmö bude v sobotu mlhavé.
Náš bratr zůstane osm měsíců ve městě Oxford.
Náš strýc slaví v pátek osmdesáté druhé narozeniny.
Auto stojí 53 dolarů za týden.
Silnice směr Dortmund je dlouhá dvanáct kilometrů.
Kolik stojí šestnáct knih?
Počasí ve městě Lyon bude v neděli odpoledne bouřlivé.
Sejdeme se v neděli v jednu hodinu padesát minut v muzeu.
Potřebujeme pět set gramů cukru a pět litrů mléka.
Přednáška je ve středu ve 22:20.
Eva pracuje v jedenáctém patře.
Čtyři šálky a 10 jablek stojí dohromady 38,85 franku.
Kurz se koná ve středu odpoledne v místnosti 11.
Film se koná v úterý večer v místnosti dvacet.
Deset citronů a 15 míčů stojí dohromady 185 eur.
Potřebujeme 400 gramů mouky a čtyři litry mléka.
Martin pracuje v jedenáctém patře.
Teplota ve městě Oxford je šest stupňů.
David se narodil 28. března 2013.
Padesát šest minus sedm je čtyřicet devět.
Můj strýc hraje fotbal každou středu ve tři čtvrtě na čtyři.
Silnice směr Bergen je dlouhá dva kilometry.
Naše sestra má schůzku ve čtvrtek v pět hodin.
Padesát pět plus dvacet čtyři je sedmdesát devět.
Teplota ve městě Kiel je 10 stupňů.
Svatba začíná za dvacet dní.
Náš dědeček pracuje ve čtvrtém patře.
Kino otevírá každou středu ve 21:35.
Porada začíná v pondělí třináctého března ve čtvrt na sedm.
Potřebujeme padesát gramů mouky a dva litry oleje.
Čtrnáct jízdenek do města Bonn stojí dva franky.
Náš strýc pracuje v patnáctém patře.
Divadlo otevírá každou středu ve 14:25.
Na židli leží dvě květiny.
Porada začíná za čtyři hodiny.
Kód ke sklepu je dva čtyři tři pět.
Oslava se koná jedenáctého února v místnosti 219.
Kino je v sobotu večer zavřené.
Noční vlak směr Leeds odjíždí ve čtvrt na dvanáct z nástupiště 19.
Počasí ve městě Calais bude zítra suché.
Jablka stojí v úterý ráno o pět procent méně.
Oliver má telefonní číslo 314 363.
Výlet začíná v pátek 11. ledna ve tři čtvrtě na osm.
V lednu jede Thomas na osm týdnů do města Madrid.
Kino je otevřené od středy do pátku od 7:15 do 20:45.
V kuchyni leží dvě vejce.
Na nádraží je 10 turistů.
Let tři sta sedm směr Split přistává ve 22:05.
Trh je otevřený od pátku do soboty od 7:45 do 16:00.
Počasí ve městě Dortmund bude ve středu odpoledne slunečné.
Sedm lžic a dva klobouky stojí dohromady 11 eur.
Potřebujeme čtyřicet nožů.
Můj syn pracuje ve čtrnáctém patře.
Laura minulý čtvrtek vyhrála zápas pět tři.
Julia čte devátou kapitolu.
Svatba začíná ve středu devátého ledna v deset hodin deset minut.
Ida má schůzku v sobotu ve tři hodiny.
Zápas se koná v úterý večer v místnosti sedmdesát čtyři.
Pokoj stojí dva tisíce osm set padesát dolarů za měsíc.
Film se koná v úterý v místnosti devatenáct.
Radnice je v úterý zavřená.
Svatba je dnes ve tři čtvrtě na šest.
Nora slaví v sobotu druhé narozeniny.
Na podlaze leží deset košil.
Kód ke garáži je jedna pět nula.
Ida se narodila 7. dubna 2010.
Noční vlak směr Calais má devět minut zpoždění.
Zkouška se koná v pátek večer v místnosti 1.
Můj otec slaví dnes desáté narozeniny.
Na nádraží jsou tři ženy.
Norbert má telefonní číslo 448 759.
Košile stojí dva tisíce eur.
V listopadu jede Nina na 11 let do města Rostock.
Na nádraží jsou tři děti.
Silnice směr Oslo je dlouhá 350 kilometrů.
Kód k telefonu je dva pět pět.
Můj dědeček slaví narozeniny dvacátého pátého června.
Našemu dědečkovi je čtyřicet osm let.
Kód ke garáži je šest pět jedna.
Potřebujeme 100 gramů rýže a šest litrů mléka.
Náš bratr má telefonní číslo 793 153.
Noční vlak směr Nantes odjíždí v 10:55 z nástupiště 18.
Naše teta má schůzku v pátek ve čtvrt na šest.
Odpověď je na straně dvacet šest.
Potřebujeme čtyři sta gramů sýra a pět litrů džusu.
Muzeum je otevřené od pondělí do úterý od 9:00 do 17:30.
Náš otec kupuje osm citronů za dvě stě padesát eur.
V knihovně je třicet pět hostů.
David slaví v úterý čtyřicáté první narozeniny.
Naše matka má telefonní číslo 781 474.
