// Stands in for a web client that a library imports and toolwright never lets it use: nothing is downloaded.
export function fetch() {
  throw new Error("nothing is downloaded");
}
