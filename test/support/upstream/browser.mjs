// Simulates a browser whose user consents at once: node browser.mjs URL
await fetch(process.argv[2]);
