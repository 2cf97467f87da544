// Stands for a browser whose person says yes at once: node browser.mjs URL
await fetch(process.argv[2]);
