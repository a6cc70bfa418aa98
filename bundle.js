import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "rolldown";

// Joins what tsc has made of src/ to a few files, with the packages that every command loads: a check of a few rows
// starts in two thirds of the time. These packages stay dependencies, so that audits and the list of parts name them.
const joined = /^(cliui|escalade|fastest-|get-|string-width|y18n|yaml|yargs|zod)/;

/** Schemas and pages of `model` and `cli`, which few commands need. */
const built = /(?:look|manifest|members|printed|run-figures|run-record|yaml-document)[.\\/]/;

/**
 * What yargs renders and measures its own help with takes a tenth of a check of a few rows to load: the data of all
 * scripts, above all. Help is our own here (src/cli/options/help.ts).
 */
const renderers = ["cliui", "string-width"];
const withoutOwnHelp = {
  name: "without-own-help",
  resolveId: (id) => (renderers.includes(id) ? "\0none" : undefined),
  load: (id) => (id === "\0none" ? "export default undefined" : undefined),
};

await build({
  plugins: [withoutOwnHelp],
  input: { "cli/bin": "build/cli/bin.js", "library/index": "build/index.js" },
  platform: "node",
  // As modules, of which only what is used is taken: its other form is parsed and linked piece by piece as it starts.
  resolve: {
    alias: { yaml: fileURLToPath(new URL("node_modules/yaml/browser/index.js", import.meta.url)) },
  },
  // Other packages stay packages, which npm can update.
  external: (id) => !/^(?:[./]|[A-Za-z]:)/.test(id) && !joined.test(id),
  output: {
    dir: "dist",
    // Node reads all of the text before it runs any: a quarter of a start went into comments, indents and long names.
    // Functions keep theirs, which stand in reports of bugs.
    minify: { compress: false, mangle: { keepNames: true }, codegen: { removeWhitespace: true } },
    entryFileNames: "[name].js",
    chunkFileNames: "shared/[name].js",
    // A file takes a third of a millisecond to find, so what several commands share is in few. What only some inputs
    // or only sending needs stays apart, and so does what zod has to build before anything begins.
    codeSplitting: {
      groups: [
        { name: "zod", test: /node_modules.zod/ },
        { name: "yaml", test: /node_modules.yaml/ },
        {
          name: "base",
          test: (id) => /build.(model|cli)./.test(id) && !built.test(id),
          minShareCount: 2,
        },
        { name: "mapping", test: /build.(mapping|lint)./, minShareCount: 2 },
        { name: "input", test: /build.input.(?!workbook)/, minShareCount: 2 },
      ],
    },
  },
});

// The page of a mapping, with the editor that it needs: a browser gets one script, and nothing from elsewhere.
const page = await build({
  input: "src/page/browser/main.ts",
  platform: "browser",
  output: { file: "dist/page/page.js", minify: true },
});
copyFileSync("src/page/browser/index.html", "dist/page/index.html");

// It holds packages that are not installed with eventload, so their licences come along.
const packages = page.output[0].moduleIds.map(
  (id) => /.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id.replaceAll("\\", "/"))?.[0],
);
const licences = [...new Set(packages)].flatMap((folder) => {
  const name = folder && readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
  if (name === undefined) return [];
  return `${folder.replace(/.*node_modules\//, "")}\n\n${readFileSync(`${folder}/${name}`, "utf8")}`;
});
writeFileSync("dist/page/licences.txt", licences.join("\n\n"));
