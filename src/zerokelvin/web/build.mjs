// Builds bundle/app.js and bundle/app.css from source/, the same bytes every time; --tests builds and runs the unit tests,
// --compare fails if bundle/ is not what source/ gives, --watch builds again on every change.
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import * as esbuild from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const LIMIT = 60 * 1024; // bytes of the script and the style sheet together after gzip

const page = {
  absWorkingDir: here,
  entryPoints: { app: "source/main.tsx" },
  outdir: "bundle",
  bundle: true,
  minify: true,
  format: "esm",
  target: ["es2022", "chrome109", "firefox115", "safari16"],
  jsx: "automatic",
  jsxImportSource: "preact",
  charset: "utf8",
  legalComments: "none",
  logLevel: "warning",
};

function testFiles(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? testFiles(path) : /\.test\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

async function runTests() {
  const files = testFiles(join(here, "source"));
  const out = join(here, "node_modules", ".tests");
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  await esbuild.build({
    ...page,
    entryPoints: files,
    outdir: out,
    outbase: join(here, "source"),
    outExtension: { ".js": ".mjs" },
    minify: false,
    platform: "node",
    external: ["node:*"],
    sourcemap: "inline",
  });
  const built = files.map((file) => join(out, relative(join(here, "source"), file).replace(/\.tsx?$/, ".mjs")));
  const run = spawnSync(process.execPath, ["--enable-source-maps", "--test", ...built], { stdio: "inherit" });
  process.exit(run.status ?? 1);
}

async function build(compare) {
  const result = await esbuild.build({ ...page, write: false });
  let size = 0;
  for (const file of result.outputFiles) {
    size += gzipSync(file.contents, { level: 9 }).length;
    if (compare && !readFileSync(file.path).equals(Buffer.from(file.contents))) {
      console.error(`${relative(here, file.path)} is not what source/ gives; run "npm run build" and commit it`);
      process.exit(1);
    }
    if (!compare) writeFileSync(file.path, file.contents);
  }
  console.log(`app.js and app.css: ${size} bytes after gzip of at most ${LIMIT}`);
  if (size > LIMIT) process.exit(1);
}

if (process.argv.includes("--tests")) await runTests();
else if (process.argv.includes("--watch")) await (await esbuild.context(page)).watch();
else await build(process.argv.includes("--compare"));
