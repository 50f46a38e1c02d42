import { defineConfig } from "vite";

/** One ES module with everything inside: the widget, the page and the mailed file load the same text. */
export default defineConfig({
  build: {
    target: "es2022",
    outDir: "../built",
    emptyOutDir: true,
    lib: { entry: "src/main.ts", formats: ["es"], fileName: () => "viewer.js" },
    // Vite leaves the blanks of libraries in place, for those who bundle them again; nobody does here.
    rolldownOptions: { output: { minify: true } },
  },
});
