import { abbreviationAt, type Zone } from "./zones.ts";

/**
 * Abbreviations that the IANA database has and the engine lacks: by the offset from UTC in hours, with the zones that
 * use them.
 */
const ABBREVIATIONS: readonly (readonly [offset: number, letters: string, zones: string])[] = [
  [-11, "SST", "Pacific/Midway Pacific/Pago_Pago Pacific/Samoa US/Samoa"],
  [-10, "HST", "America/Adak America/Atka US/Aleutian"],
  [-9, "HDT", "America/Adak America/Atka US/Aleutian"],
  [-7, "MST", "America/Dawson America/Hermosillo America/Mazatlan America/Whitehorse Canada/Yukon Mexico/BajaSur"],
  [-5, "CST", "America/Havana Cuba"],
  [-4, "CDT", "America/Havana Cuba"],
  [0, "GMT", "Eire Europe/Dublin Europe/Guernsey Europe/Isle_of_Man Europe/Jersey"],
  [1, "IST", "Eire Europe/Dublin"],
  [1, "BST", "Europe/Guernsey Europe/Isle_of_Man Europe/Jersey"],
  [1, "MET", "MET"],
  [2, "MEST", "MET"],
  [2, "IST", "Asia/Jerusalem Asia/Tel_Aviv Israel"],
  [3, "IDT", "Asia/Jerusalem Asia/Tel_Aviv Israel"],
  [3, "MSK", "Europe/Kirov Europe/Moscow Europe/Simferopol Europe/Volgograd W-SU"],
  [5, "PKT", "Asia/Karachi"],
  [7, "WIB", "Asia/Jakarta Asia/Pontianak"],
  [8, "CST", "Asia/Chongqing Asia/Chungking Asia/Harbin Asia/Macao Asia/Macau Asia/Shanghai Asia/Taipei PRC ROC"],
  [8, "HKT", "Asia/Hong_Kong Hongkong"],
  [8, "PST", "Asia/Manila"],
  [8, "WITA", "Asia/Makassar Asia/Ujung_Pandang"],
  [9, "JST", "Asia/Tokyo Japan"],
  [9, "KST", "Asia/Pyongyang Asia/Seoul ROK"],
  [9, "WIT", "Asia/Jayapura"],
  [10, "ChST", "Pacific/Guam Pacific/Saipan"],
];

/** Zones with an abbreviation in the engine, but none in the database. */
const WITHOUT_ABBREVIATION: ReadonlySet<string> = new Set(
  (
    "Africa/Casablanca Africa/El_Aaiun America/Miquelon Antarctica/Casey Antarctica/Troll Asia/Colombo Asia/Dubai " +
    "Asia/Muscat Australia/Eucla Australia/LHI Australia/Lord_Howe NZ-CHAT Pacific/Chatham"
  ).split(" "),
);

const abbreviationByClock: ReadonlyMap<string, string> = new Map(
  ABBREVIATIONS.flatMap(([offset, letters, zones]) =>
    zones.split(" ").map((zone) => [`${zone} ${offset * 3600}`, letters]),
  ),
);

const DAY_S = 86_400;

/** Returns the abbreviation of a zone's offset near a timestamp: `CEST`, or `+0530` if it has none. */
export function zoneAbbreviation(zone: Zone, seconds: number, offset: number): string {
  const known = abbreviationByClock.get(`${zone.name} ${offset}`);
  if (known !== undefined) return known;
  if (WITHOUT_ABBREVIATION.has(zone.name)) return offsetName(offset);
  // Next to a transition, the offset is still in effect a day before or after.
  const moment = [seconds, seconds + DAY_S, seconds - DAY_S].find((candidate) => zone.offsetAt(candidate) === offset);
  const name = abbreviationAt(zone, moment ?? seconds);
  return /^[A-Za-z]+$/.test(name) ? name : offsetName(offset);
}

/** `+0330`, `-03` */
function offsetName(seconds: number): string {
  const minutes = Math.floor(Math.abs(seconds) / 60);
  const rest = minutes % 60 === 0 ? "" : padded(minutes % 60);
  return (seconds < 0 ? "-" : "+") + padded(Math.floor(minutes / 60)) + rest;
}

const padded = (value: number): string => String(value).padStart(2, "0");
