// SPDX-License-Identifier: Apache-2.0

import Foundation
import ObjectStore
import TestSupport
import Testing

private struct Author: Entity {
  let name = Attribute<String?>("name")
  let articles: ToMany<Article> = ToMany("articles", inverse: \.author)
  let articleCount = Attribute<Int>("articleCount", countOf: \Self.articles)
  let words = Attribute<Int>("words", sumOf: \Self.articles, \.wordCount)
}

private struct Article: Entity {
  let wordCount = Attribute<Int>("wordCount", default: 0)
  let author: ToOne<Author> = ToOne("author", inverse: \.articles)
  let tags: ToMany<Tag> = ToMany("tags", inverse: \.articles)
  let authorName = Attribute<String?>("authorName", copyOf: \Self.author.name)
  let tagCount = Attribute<Int>("tagCount", countOf: \Self.tags)
}

private struct Tag: Entity {
  let articles: ToMany<Article> = ToMany("articles", inverse: \.tags)
  let words = Attribute<Int>("words", sumOf: \Self.articles, \.wordCount)
}

private struct WrongSum: Entity {
  let name = Attribute<String?>("name")
  let parent: ToOne<WrongSum> = ToOne("parent", inverse: \.children)
  let children: ToMany<WrongSum> = ToMany("children", inverse: \.parent)
  let sum = Attribute<Int>("sum", sumOf: \Self.children, \.name)
}

@Suite struct RelatedDerivationTests {
  private let fixture: StoreFixture
  private let entities: [any Entity.Type] = [Author.self, Article.self, Tag.self]
  private var context: ManagedObjectContext { fixture.context }

  init() throws { fixture = try StoreFixture([Author.self, Article.self, Tag.self]) }

  private func authors() throws -> [String] {
    try fixture.rows("SELECT ZNAME, ZARTICLECOUNT, ZWORDS FROM ZAUTHOR ORDER BY Z_PK")
  }

  private func makeAuthor(_ name: String, words: [Int]) -> ManagedObject<Author> {
    let author = context.insert(Author.self)
    author.name = name
    for count in words {
      let article = context.insert(Article.self)
      article.wordCount = count
      author.articles.append(article)
    }
    return author
  }

  @Test func countsAndAddsUpWithEachSave() throws {
    let author = makeAuthor("A", words: [10, 20])
    let other = makeAuthor("B", words: [])
    #expect(author.articleCount == 0 && author.words == 0)
    fixture.observer.removeAll()
    try context.save()
    #expect(try authors() == ["A|2|30", "B|0|0"])
    #expect(author.articleCount == 2 && author.words == 30 && !context.hasChanges)
    #expect(
      fixture.observer.sql.contains(
        "UPDATE ZAUTHOR SET ZARTICLECOUNT = (SELECT COUNT(*) FROM ZARTICLE d "
          + "WHERE d.ZAUTHOR = ZAUTHOR.Z_PK) WHERE Z_PK IN (SELECT value FROM json_each(?))"))
    let article = author.articles[0]
    article.author = other
    article.wordCount = 11
    try context.save()
    #expect(try Set(authors()) == ["A|1|20", "B|1|11"] || Set(authors()) == ["A|1|10", "B|1|11"])
    #expect(other.articleCount == 1 && other.words == 11 && article.authorName == "B")
    context.delete(article)
    try context.save()
    #expect(try authors()[1] == "B|0|0")
    #expect(other.articleCount == 0)
    let found = try context.fetch(FetchRequest<Author>(where: { $0.articleCount == 1 }))
    #expect(found == [author])
  }

  @Test func followsAToOne() throws {
    let author = makeAuthor("A", words: [1, 2])
    try context.save()
    #expect(author.articles.map(\.authorName) == ["A", "A"])
    author.name = "Ä"
    try context.save()
    #expect(author.articles.map(\.authorName) == ["Ä", "Ä"])
    author.articles.removeAll()
    try context.save()
    #expect(try fixture.rows("SELECT ZAUTHORNAME FROM ZARTICLE") == ["NULL", "NULL"])
  }

  @Test func countsThePairsOfAManyToMany() throws {
    let author = makeAuthor("A", words: [1, 2])
    let tags = [context.insert(Tag.self), context.insert(Tag.self)]
    for article in author.articles { article.tags.append(tags[0]) }
    tags[1].articles.append(author.articles[1])
    try context.save()
    #expect(
      try fixture.rows("SELECT ZTAGCOUNT FROM ZARTICLE ORDER BY ZWORDCOUNT") == ["1", "2"])
    #expect(tags.map(\.words) == [3, author.articles[1].wordCount])
    author.articles[0].wordCount = 100
    context.delete(author.articles[1])
    try context.save()
    #expect(tags.map(\.words) == [100, 0])
  }

  @Test func followsBatches() throws {
    let author = makeAuthor("A", words: [1, 2])
    try context.save()
    var update = BatchUpdateRequest<Article>()
    update.set(\.wordCount, to: 7)
    try context.execute(update)
    #expect(try authors() == ["A|2|14"])
    try context.batchInsert(Article.self, count: 3) { row, _ in
      row.wordCount = 1
      row.author = author.objectID
    }
    #expect(try authors() == ["A|5|17"])
    try context.execute(BatchDeleteRequest<Article>(where: { $0.wordCount == 7 }))
    #expect(try authors() == ["A|3|3"])
    try context.refresh(author, mergeChanges: false)
    #expect(author.articleCount == 3)
  }

  @Test func countsObjectsThatAreAddedLater() throws {
    let author = makeAuthor("A", words: [1])
    try context.save()
    author.articles.append(context.insert(Article.self))
    try context.performAndWait {
      context.insert(Author.self).name = "B"
      try context.save()
    }
    #expect(try authors() == ["A|2|1", "B|0|0"])
  }

  @Test func mergeUpdatesADerivedCount() async throws {
    let author = makeAuthor("A", words: [1])
    try context.save()
    let other = fixture.container.newBackgroundContext()
    var saves = other.didSave.makeAsyncIterator()
    let article = other.insert(Article.self)
    article.author = try other.existingObject(with: author.objectID).as(Author.self)
    try other.save()
    context.mergeChanges(from: try #require(await saves.next()))
    #expect(author.articleCount == 2)
  }

  @Test func migrationComputesANewDerivedAttribute() throws {
    let folder = try TemporaryDirectory()
    func model(_ derived: String) throws -> ManagedObjectModel {
      let url = folder.url.appending(path: "contents-\(UUID().uuidString)")
      try Data(
        """
        <model><entity name="Author"><attribute name="name" optional="YES" attributeType="String"/>
        \(derived)<relationship name="articles" optional="YES" toMany="YES"
          destinationEntity="Article" inverseName="author"/></entity>
        <entity name="Article"><attribute name="words" optional="YES" attributeType="Integer 32"/>
        <relationship name="author" optional="YES" destinationEntity="Author"
          inverseName="articles"/></entity></model>
        """.utf8
      ).write(to: url)
      return try ManagedObjectModel(contentsOf: url)
    }
    let url = folder.url.appending(path: "store.sqlite")
    let first = try PersistentContainer(at: url, model: model(""))
    let author = try first.mainContext.insert(entityNamed: "Author")
    let article = try first.mainContext.insert(entityNamed: "Article")
    try article.setValue(.integer(9), forKey: "words")
    try author.setValue([article], forKey: "articles")
    try first.mainContext.save()
    first.close()
    func derived(_ name: String, _ expression: String) -> String {
      "<attribute name='\(name)' optional='YES' attributeType='Integer 64' derived='YES' "
        + "derivationExpression='\(expression)'/>"
    }
    let container = try PersistentContainer(
      at: url,
      model: model(
        derived("count", "articles.@count") + derived("sum", "articles.words.@sum")
          + derived("sum2", "sum:(articles.words)")))
    let found = try #require(try container.mainContext.fetch(entityNamed: "Author").first)
    #expect(try found.value(forKey: "count") == .integer(1))
    #expect(try found.value(forKey: "sum") == .integer(9))
    #expect(try found.value(forKey: "sum2") == .integer(9))
    for expression in ["articles.@count.x", "articles.@sum.words", "@count", "a.b.c", "articles"] {
      #expect(throws: (any Error).self) { try model(derived("x", expression)) }
    }
  }

  @Test func refusesASumOfValuesThatCannotBeAdded() {
    #expect(throws: ModelError.invalidDerivation("sum", entity: "WrongSum")) {
      try ManagedObjectModel(entities: [WrongSum.self])
    }
  }
}
