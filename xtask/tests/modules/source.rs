//! The modules of a crate, and what each names of the others, as its sources say it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// Where a module stands: the names from the crate's root on.
pub type ModulePath = Vec<String>;

/// More names than lead from one re-export to another.
const MAX_REEXPORTS: usize = 8;

/// What one module says.
#[derive(Default)]
struct Module {
    /// Paths that it names, as they are written.
    named: Vec<Vec<String>>,
    /// What its `use` lines bring in, by the name that it has there.
    imports: Vec<(String, Vec<String>)>,
}

/// The modules of one crate, its tests left out.
#[derive(Default)]
pub struct Sources(BTreeMap<ModulePath, Module>);

/// A file's module, or one within it.
struct ModuleLocation {
    module: ModulePath,
    /// Where the files of its modules are.
    folder: PathBuf,
    /// The folder of the file itself, from which `#[path]` counts.
    file_folder: PathBuf,
}

impl Sources {
    /// Reads the crate with this root, `lib.rs` or another.
    pub fn read(root: &Path) -> Self {
        let mut sources = Self::default();
        let folder = root.parent().expect("a folder").to_owned();
        let file_folder = folder.clone();
        let module = ModulePath::new();
        sources.read_file(
            root,
            &ModuleLocation {
                module,
                folder,
                file_folder,
            },
        );
        sources
    }

    fn read_file(&mut self, path: &Path, location: &ModuleLocation) {
        let text = fs::read_to_string(path);
        let text = text.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let tokens: TokenStream = text.parse().expect("tokens of Rust");
        self.0.entry(location.module.clone()).or_default();
        self.read_tokens(tokens, location);
    }

    /// Notes the modules, imports and paths among the tokens.
    fn read_tokens(&mut self, tokens: TokenStream, location: &ModuleLocation) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut rest = &tokens[..];
        let mut attributes = Vec::new();
        while let Some(token) = rest.first() {
            let taken = match token {
                TokenTree::Punct(punct) if punct.as_char() == '#' => {
                    attributes.extend(
                        rest.get(1)
                            .and_then(group)
                            .map(|it| it.stream().to_string()),
                    );
                    rest = &rest[2.min(rest.len())..];
                    continue;
                }
                TokenTree::Ident(word) if word == "pub" => {
                    let is_limited = rest.get(1).and_then(group).is_some_and(is_in_parentheses);
                    rest = &rest[1 + usize::from(is_limited)..];
                    continue;
                }
                TokenTree::Ident(word) if word == "mod" => {
                    self.read_module(rest, &attributes, location)
                }
                TokenTree::Ident(word) if word == "use" => {
                    self.read_use(rest, &attributes, location)
                }
                TokenTree::Ident(_) => self.read_path(rest, location),
                TokenTree::Group(group) => {
                    self.read_tokens(group.stream(), location);
                    1
                }
                _ => 1,
            };
            attributes.clear();
            rest = &rest[taken..];
        }
    }

    /// A module of its own file, or one that stands here; how many tokens that took.
    fn read_module(
        &mut self,
        tokens: &[TokenTree],
        attributes: &[String],
        location: &ModuleLocation,
    ) -> usize {
        let Some(TokenTree::Ident(name)) = tokens.get(1) else {
            return 1;
        };
        let name = name.to_string();
        let mut module = location.module.clone();
        module.push(name.clone());
        if attributes.iter().any(|it| is_for_tests(it)) {
            return 3.min(tokens.len());
        }
        if let Some(body) = tokens.get(2).and_then(group) {
            let folder = location.folder.join(name);
            let file_folder = location.file_folder.clone();
            self.0.entry(module.clone()).or_default();
            self.read_tokens(
                body.stream(),
                &ModuleLocation {
                    module,
                    folder,
                    file_folder,
                },
            );
        } else {
            let path = module_file(&name, attributes, location);
            let file_folder = path.parent().expect("a folder").to_owned();
            let is_mod_file = path.ends_with("mod.rs");
            let stem = path.file_stem().expect("a name");
            let folder = if is_mod_file {
                file_folder.clone()
            } else {
                file_folder.join(stem)
            };
            self.read_file(
                &path,
                &ModuleLocation {
                    module,
                    folder,
                    file_folder,
                },
            );
        }
        3.min(tokens.len())
    }

    fn read_use(
        &mut self,
        tokens: &[TokenTree],
        attributes: &[String],
        location: &ModuleLocation,
    ) -> usize {
        let end = tokens.iter().position(|token| is_punct(token, ';'));
        let end = end.unwrap_or(tokens.len());
        if !attributes.iter().any(|it| is_for_tests(it)) {
            let mut imports = Vec::new();
            read_tree(&tokens[1..end], &[], &mut imports);
            let module = self.0.entry(location.module.clone()).or_default();
            module
                .named
                .extend(imports.iter().map(|(_, path)| path.clone()));
            module.imports.extend(imports);
        }
        end
    }

    /// A path that begins here, if one does.
    fn read_path(&mut self, tokens: &[TokenTree], location: &ModuleLocation) -> usize {
        let mut path = Vec::new();
        let mut taken = 0;
        while let Some(TokenTree::Ident(name)) = tokens.get(taken) {
            path.push(name.to_string());
            taken += 1;
            let colons = tokens.get(taken..taken + 2);
            if !colons.is_some_and(|colons| colons.iter().all(|it| is_punct(it, ':'))) {
                break;
            }
            taken += 2;
        }
        if path.len() > 1 && matches!(path[0].as_str(), "crate" | "self" | "super") {
            self.0
                .entry(location.module.clone())
                .or_default()
                .named
                .push(path);
        }
        taken.min(tokens.len())
    }

    /// Each module with each other one that it names.
    pub fn uses(&self) -> impl Iterator<Item = (ModulePath, ModulePath)> {
        self.0.iter().flat_map(move |(user, module)| {
            let named = module.named.iter();
            named.filter_map(move |path| {
                Some((user.clone(), self.module_of(&self.absolute(user, path)?, 0)))
            })
        })
    }

    /// The path from the crate's root on; `None` for what is of another crate.
    fn absolute(&self, module: &[String], path: &[String]) -> Option<Vec<String>> {
        let mut base = module.to_vec();
        let mut rest = path;
        match path.first()?.as_str() {
            "crate" => {
                base.clear();
                rest = &rest[1..];
            }
            "self" => rest = &rest[1..],
            "super" => {}
            first => {
                base.push(first.to_owned());
                let is_child = self.0.contains_key(&base);
                base.pop();
                return is_child.then(|| [module, path].concat());
            }
        }
        while rest.first().is_some_and(|name| name == "super") {
            base.pop();
            rest = &rest[1..];
        }
        base.extend_from_slice(rest);
        Some(base)
    }

    /// The module that has what the path names; where that is only re-exported, the one from which it comes.
    fn module_of(&self, path: &[String], followed: usize) -> ModulePath {
        let length = (0..=path.len())
            .rev()
            .find(|it| self.0.contains_key(&path[..*it]));
        let (module, item) = path.split_at(length.unwrap_or_default());
        let imports = self.0.get(module).map(|it| &it.imports);
        let import = item.first().zip(imports).and_then(|(name, imports)| {
            let import = imports.iter().find(|(imported, _)| imported == name)?;
            self.absolute(module, &import.1)
        });
        match import {
            Some(origin) if followed < MAX_REEXPORTS => {
                self.module_of(&[&origin[..], &item[1..]].concat(), followed + 1)
            }
            _ => module.to_vec(),
        }
    }
}

/// Adds what a tree of imports names, each with the name that it has afterwards.
fn read_tree(tokens: &[TokenTree], prefix: &[String], imports: &mut Vec<(String, Vec<String>)>) {
    let mut path = prefix.to_vec();
    let mut words = tokens.iter();
    let mut alias = None;
    while let Some(token) = words.next() {
        match token {
            TokenTree::Ident(word) if word == "as" => alias = words.next().map(ToString::to_string),
            TokenTree::Ident(word) if word == "self" && !path.is_empty() => {}
            TokenTree::Ident(word) => path.push(word.to_string()),
            TokenTree::Group(group) => {
                let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
                for tree in tokens.split(|token| is_punct(token, ',')) {
                    read_tree(tree, &path, imports);
                }
                return;
            }
            _ => {}
        }
    }
    if let Some(name) = alias.or_else(|| path.last().cloned()) {
        imports.push((name, path));
    }
}

/// The file of a module that a line declares.
fn module_file(name: &str, attributes: &[String], location: &ModuleLocation) -> PathBuf {
    let named = attributes.iter().find_map(|attribute| {
        let text = attribute.strip_prefix("path = \"")?;
        text.strip_suffix('"')
    });
    if let Some(path) = named {
        return location.file_folder.join(path);
    }
    let file = location.folder.join(format!("{name}.rs"));
    if file.exists() {
        file
    } else {
        location.folder.join(name).join("mod.rs")
    }
}

fn is_for_tests(attribute: &str) -> bool {
    attribute.replace(' ', "") == "cfg(test)"
}

fn is_in_parentheses(group: &Group) -> bool {
    group.delimiter() == Delimiter::Parenthesis
}

fn is_punct(token: &TokenTree, wanted: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == wanted)
}

fn group(token: &TokenTree) -> Option<&Group> {
    match token {
        TokenTree::Group(group) => Some(group),
        _ => None,
    }
}
