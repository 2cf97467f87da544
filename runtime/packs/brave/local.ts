/**
 * `brave.local`: finds places. A web search lists them, a second request reads their details, a third their
 * descriptions.
 */

import { type Context, isToolFailure } from "../../contract/handler.js";
import { listOrEmpty } from "../../contract/json.js";
import { type Json, nonEmptyMembers, numberOf, objectOrEmpty, stringOf } from "../../http-client/client.js";
import { askBrave, fittingQuery } from "./request.js";
import { addressIn, braveUrl, PATIENCE, plainMember } from "./search.js";
import type { Count, FoundPlace, PlacesFound, Query, Region, Units } from "./types.js";

const MAX_IDS = 20;
const MAX_ID_LENGTH = 200;
const MAX_WORD_LENGTH = 200;
const DAYS = 7;

/** Finds places. Missing descriptions are only a warning. */
export async function searchLocal(args: Query & Required<Count> & Region & Units, ctx: Context): Promise<PlacesFound> {
  const { query, count, country, search_lang, units } = args;
  const url = braveUrl();
  const shared = { search_lang: search_lang?.toLowerCase(), units };
  const parameters = {
    q: fittingQuery(query, [], ctx),
    count: MAX_IDS,
    country: country?.toUpperCase(),
    result_filter: "locations",
    text_decorations: false,
    ...shared,
  };
  const answer = await askBrave({ search: "web", parameters, url }, ctx, PATIENCE);
  const named = byId(objectOrEmpty(answer["locations"])["results"]);
  const ids = [...named.keys()].slice(0, count);
  if (ids.length === 0) return { query, results: [] };
  const [pois, descriptions] = await Promise.all([
    askBrave({ search: "pois", parameters: { ids, ...shared }, url }, ctx, PATIENCE),
    askBrave({ search: "descriptions", parameters: { ids }, url }, ctx, PATIENCE).catch((error) => without(error, ctx)),
  ]);
  const [facts, texts] = [byId(pois["results"]), byId(descriptions["results"])];
  const results = ids.map((id) => placeOf(id, { ...named.get(id), ...facts.get(id) }, texts.get(id) ?? {}));
  return { query, results: await Promise.all(results) };
}

function without(error: unknown, ctx: Context): Json {
  if (!isToolFailure(error)) throw error;
  ctx.warn(`no_descriptions: ${error.message}`);
  return {};
}

function byId(value: unknown): ReadonlyMap<string, Json> {
  const found = listOrEmpty(value).map((one) => [stringOf(objectOrEmpty(one)["id"]), objectOrEmpty(one)] as const);
  return new Map(found.filter(([id]) => id !== "" && id.length <= MAX_ID_LENGTH));
}

async function placeOf(id: string, place: Json, text: Json): Promise<FoundPlace> {
  const contact = objectOrEmpty(place["contact"]);
  const rating = objectOrEmpty(place["rating"]);
  const words = async (value: unknown): Promise<string> => plainMember(value, MAX_WORD_LENGTH);
  const known = nonEmptyMembers({
    url: addressIn(place["url"]) || addressIn(place["provider_url"]) || addressIn(place["website"]),
    address: await words(addressOf(objectOrEmpty(place["postal_address"] ?? place["address"]))),
    phone: await words(contact["telephone"] ?? place["phone"]),
    email: await words(contact["email"]),
    coordinates: coordinatesOf(place["coordinates"]),
    rating: numberOf(rating["ratingValue"]) ?? numberOf(rating["value"]),
    rating_best: numberOf(rating["bestRating"]),
    reviews: numberOf(rating["reviewCount"]) ?? numberOf(rating["count"]),
    price_range: await words(place["price_range"]),
    categories: await allWords(listOrEmpty(place["categories"])),
    opening_hours: await allWords(hoursOf(objectOrEmpty(place["opening_hours"]))),
    timezone: await words(place["timezone"]),
    distance: await words(distanceOf(place["distance"])),
    description: (await plainMember(text["description"])) || (await plainMember(place["description"])),
  });
  return { id, name: await words(place["title"] ?? place["name"]), ...known } as FoundPlace;
}

async function allWords(values: readonly unknown[]): Promise<string[]> {
  const texts = await Promise.all(values.slice(0, MAX_IDS).map((one) => plainMember(one, MAX_WORD_LENGTH)));
  return texts.filter((text) => text !== "");
}

const ADDRESS_PARTS = ["streetAddress", "addressLocality", "addressRegion", "postalCode", "country"] as const;

const addressOf = (address: Json): string =>
  stringOf(address["displayAddress"]) ||
  ADDRESS_PARTS.map((part) => stringOf(address[part]))
    .filter((part) => part !== "")
    .join(", ");

/** Latitude and longitude, from either form that Brave uses. */
function coordinatesOf(value: unknown): number[] {
  const { latitude, longitude } = objectOrEmpty(value);
  const pair = (Array.isArray(value) ? value : [latitude, longitude]).map(numberOf);
  const [lat, long] = pair;
  return lat === undefined || long === undefined ? [] : [lat, long];
}

/** `days` has a list of spans for each day. */
function hoursOf({ days }: Json): readonly string[] {
  return listOrEmpty(days)
    .slice(0, DAYS)
    .flatMap((day) => {
      const spans = listOrEmpty(day).map(objectOrEmpty);
      const name = stringOf(spans[0]?.["full_name"]);
      const times = spans.map(({ opens, closes }) => `${stringOf(opens)}-${stringOf(closes)}`);
      return name === "" ? [] : [`${name} ${times.join(", ")}`];
    });
}

function distanceOf(value: unknown): string {
  const { value: amount, units } = objectOrEmpty(value);
  const number = numberOf(amount);
  return number === undefined ? stringOf(value) : `${number} ${stringOf(units)}`.trim();
}
